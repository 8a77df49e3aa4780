import type { Page } from '@playwright/test';
import { expect, test } from './application.ts';
import { choose, REPORT } from './files.ts';
import { getStored } from './flow.ts';
import { goOffline } from './offline.ts';
import { leaveContact, PICTURE, record } from './voice-message.ts';

test.use({ serviceWorkers: 'allow' });

const BADGE = /^Ausgangskorb: /;

/** One contribution from the microphone to the contact details, without a network, kept on this device. */
async function contribute(page: Page, text: string): Promise<void> {
  await page.goto('/voice-message');
  await record(page, 1);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await page.getByRole('button', { name: 'Auf diesem Gerät sichern' }).click();
  await expect(page).toHaveURL('/transcript-edit');
  await expect(page.getByText('Auf diesem Gerät gesichert')).toBeVisible();
  await page.getByRole('textbox', { name: 'Transkript' }).fill(text);
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page).toHaveURL('/image-upload-after-voice');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expect(page).toHaveURL('/thank-you');
  await leaveContact(page);
  await expect(page).toHaveURL('/');
}

const ARRIVED = [/^audio\//, /^image\/png$/, /^text\/plain$/];

/** Every one of them once, with all its files, and nothing besides. */
function expectAllOnce(stored: Awaited<ReturnType<typeof getStored>>, texts: readonly string[]): void {
  expect(stored.interviews.map((row) => row.transcript ?? '').toSorted()).toEqual(texts.toSorted());
  for (const { id, contact_email } of stored.interviews) {
    expect(contact_email).toBe('ada@beispiel.test');
    const types = stored.media.filter((row) => row.file_path.startsWith(`${id}/`)).map((row) => row.file_type);
    expect(types.toSorted()).toEqual(ARRIVED.map((type) => expect.stringMatching(type)));
  }
  expect(stored.objects).toEqual(stored.media.map((row) => row.file_path).toSorted());
}

test('experience Offline: recorded without a network, kept, sent by itself once, with every part', async ({
  page,
  context,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await goOffline(page, context);
  await contribute(page, 'Ohne Netz erzählt');
  await page.getByRole('link', { name: BADGE }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Ausgangskorb');
  await expect(page.getByText('Wartet auf die Verbindung')).toBeVisible();
  await page.reload();
  for (const part of ['Sprachnachricht.webm', 'Transkript', PICTURE.name, 'Kontaktdaten']) {
    await expect(page.getByRole('listitem').filter({ hasText: part }).first()).toBeVisible();
  }
  await context.setOffline(false);
  await expect(page.getByText('Vollständig gesendet')).toBeVisible();
  await expect(page.getByRole('link', { name: BADGE })).toHaveCount(0);
  const stored = await getStored(server, user);
  expectAllOnce(stored, ['Ohne Netz erzählt']);
  await expect(page.getByText(`Content-ID: ${stored.interviews[0]?.id}`)).toBeVisible();
});

test('what is kept is its owner’s alone, and goes when it is removed', async ({ page, context, server, loginAs }) => {
  const ada = await loginAs('vdi_admin');
  await goOffline(page, context);
  await page.goto('/document-upload');
  await choose(page, REPORT);
  await page.getByRole('button', { name: 'Auf diesem Gerät sichern' }).click();
  await expect(page).toHaveURL('/thank-you');
  await leaveContact(page);
  await expect(page).toHaveURL('/');
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await expect(page).toHaveURL('/login');
  await expect(page.getByText('1 Beitrag wartet auf diesem Gerät auf eine Anmeldung.')).toBeVisible();
  await context.setOffline(false);
  await page.goto('/ausgangskorb');
  await expect(page.getByText('Hier wartet nichts')).toBeVisible();
  const bob = await loginAs('vdi_admin', '/ausgangskorb');
  await expect(page.getByText('Hier wartet nichts')).toBeVisible();
  expect([(await getStored(server, ada)).interviews, (await getStored(server, bob)).interviews]).toEqual([[], []]);
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await expect(page).toHaveURL('/login');
  await page.route(/\/(rest|storage)\/v1\/(interviews|media_uploads|bucket)/, (route) => route.abort());
  await page.getByLabel('E-Mail').fill(ada.email);
  await page.getByLabel('Passwort', { exact: true }).fill(ada.password);
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await page.getByRole('link', { name: BADGE }).click();
  await page.getByRole('button', { name: 'Entfernen', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Entfernen' }).click();
  await expect(page.getByText('Hier wartet nichts')).toBeVisible();
});
