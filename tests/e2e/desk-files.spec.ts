import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Download, Page } from '@playwright/test';
import { asOwner } from '#tests/support/callers.ts';
import { contribute } from '#tests/support/desk.ts';
import { unzip } from '#tests/support/unzip.ts';
import { expect, test } from './application.ts';
import { picture, richContribution, storeFile, toDesk, toInbox } from './desk.ts';
import { expectAccessible } from './findings.ts';

test.use({ apart: 'desk-files', viewport: { width: 1280, height: 900 } });

async function readBytes(download: Download): Promise<Buffer> {
  return readFile(await download.path());
}

test('Desk: plays a recording from a sentence, shows pictures, texts and missing files, and prints a contribution as text on white', async ({
  page,
  server,
}) => {
  test.slow();
  const id = await richContribution(server);
  await toDesk(page, server, `/admin/eingang/${id}`);
  const player = page.locator('audio');
  await page.getByRole('button', { name: '00:02, von hier an anhören' }).click();
  await expect.poll(() => player.evaluate((audio: HTMLAudioElement) => audio.currentTime)).toBeGreaterThan(0);

  await page.getByRole('button', { name: 'Bild 1 (PNG) groß ansehen' }).click();
  const viewer = page.getByRole('dialog');
  await expect(viewer.getByRole('img', { name: 'Bild 1 von 2, eingereicht von Ada Lovelace' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(viewer.getByRole('img', { name: 'Bild 2 von 2, eingereicht von Ada Lovelace' })).toBeVisible();
  await page.keyboard.press('+');
  await expect(viewer.getByText('150 %')).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(viewer).toHaveCount(0);
  await expect(page).toHaveURL(`/admin/eingang/${id}`);
  await expect(page.getByRole('button', { name: 'Bild 1 (PNG) groß ansehen' }), 'WCAG 2.4.3').toBeFocused();

  const preview = page.getByRole('button', { name: 'Vorschau von Transkript-Datei 1 (TXT)' });
  await preview.click();
  await expect(page.getByRole('dialog').getByText('Du: <b>Hallo</b>')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(preview).toBeFocused();
  await expect(page.getByRole('listitem').filter({ hasText: 'Bild 3 (JPG)' })).toContainText('Fehlt im Speicher');
  await expectPrinted(page);
});

/** As text on white, without controls and players. */
async function expectPrinted(page: Page): Promise<void> {
  const main = page.getByRole('main');
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const heading of ['Transkript', 'Kontakt', 'Dateien']) {
    await expect(main.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  }
  await expect(main.getByRole('heading', { level: 1 })).toHaveText('Ada Lovelace');
  const skip = page.getByRole('link', { name: 'Zum Inhalt springen' });
  for (const part of [
    skip,
    page.getByRole('combobox'),
    page.getByRole('button'),
    page.getByRole('banner'),
    page.getByRole('contentinfo'),
  ]) {
    await expect(part.filter({ visible: true })).toHaveCount(0);
  }
  await expect(main.getByRole('heading', { name: 'Verlauf' })).toBeHidden();
  const colours = await main.evaluate((element) => {
    const body = getComputedStyle(document.documentElement);
    return [body.backgroundColor, getComputedStyle(element).color];
  });
  expect(colours).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  const pdf = await page.pdf({ path: 'test-results/contribution.pdf', preferCSSPageSize: true, format: 'A4' });
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(main.getByRole('tab').filter({ visible: true }), 'on a phone the open tab is the heading').toHaveText([
    'Transkript',
  ]);
}

test('Desk: reports a damaged picture and a damaged recording, downloads one file and the archive and logs both', async ({
  page,
  server,
}) => {
  const id = await contribute(server, { firstName: 'Ada', email: 'p@beispiel.test', transcript: 'Guten Tag' });
  const bytes = picture(90, 60, [46, 96, 160]);
  await storeFile(server, id, { path: '1763719200000_halle.png', type: 'image/png', bytes });
  await storeFile(server, id, { path: '1763719200001_kaputt.png', type: 'image/png', bytes: bytes.subarray(0, 40) });
  const ogg = Buffer.from('OggS, mehr nicht');
  await storeFile(server, id, { path: '1763719200002_kaputt.ogg', type: 'audio/ogg', bytes: ogg });
  const admin = await toDesk(page, server, `/admin/eingang/${id}`);
  await expect(page.getByText('Dieses Bild lässt sich nicht anzeigen.')).toBeVisible();
  await expect(page.getByText(/lässt sich hier nicht abspielen/)).toBeVisible();
  const one = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Bild 1 (PNG) herunterladen' }).click();
  expect((await readBytes(await one)).equals(bytes)).toBe(true);
  const all = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Alles als ZIP' }).click();
  const archive = await unzip(await readBytes(await all));
  const names = [...archive.keys()];
  expect(names.some((name) => name.endsWith('beitrag.json'))).toBe(true);
  expect([...archive.values()].some((member) => member.bytes.equals(bytes))).toBe(true);
  expect([...archive.values()].some((member) => member.bytes.toString().includes('Guten Tag'))).toBe(true);
  await expect(page).toHaveURL(`/admin/eingang/${id}`);
  const log = await admin.client
    .from('desk_audit_log')
    .select('what, by')
    .eq('interview_id', id)
    .order('id')
    .overrideTypes<{ what: string; by: string | null }[], { merge: false }>();
  expect(new Set(log.data?.map(({ by }) => by))).toEqual(new Set([admin.id]));
  // The archive is made of the dossier, which leaves a line whenever it is read.
  expect([...new Set(log.data?.map(({ what }) => what))]).toEqual(['view', 'file', 'dossier', 'archive']);
});

test('Desk: erases a contribution from list, database and store; counts, exports and erases everything about a person', async ({
  page,
  server,
}) => {
  test.slow();
  const word = `wort${randomUUID().replaceAll(/[^a-f]/g, '')}`;
  const id = await contribute(server, { lastName: 'Gauß', email: 'p@beispiel.test', transcript: word });
  await storeFile(server, id, { path: '1763719200000_a.png', type: 'image/png', bytes: picture(8, 8, [9, 9, 9]) });
  await toInbox(page, server, `?suche=${word}`);
  await page.getByRole('link', { name: 'Gauß' }).click();
  await page.getByRole('button', { name: 'Beitrag löschen' }).click();
  const dialog = page.getByRole('dialog', { name: 'Beitrag endgültig löschen?' });
  await dialog.getByRole('checkbox').check();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Beitrag gelöscht');
  await expect(page.getByRole('region', { name: 'Quittung' })).toContainText('1 Beitrag, 1 Datei');
  await page.getByRole('link', { name: 'Zum Eingang' }).click();
  await expect(page.getByText('Nichts gefunden')).toBeVisible();

  const email = `person-${randomUUID()}@beispiel.test`;
  await contribute(server, { lastName: 'Hopper', email, transcript: 'Eins' });
  await contribute(server, { lastName: 'Hopper', email, transcript: 'Zwei' });
  await page.getByRole('link', { name: 'Datenschutz', exact: true }).first().click();
  await page.getByLabel('E-Mail-Adresse').fill(email);
  await page.getByRole('button', { name: 'Suchen' }).click();
  const found = page.getByRole('region', { name: `Zu ${email} gespeichert` });
  await expect(found).toContainText('2 Beiträge');
  await expectAccessible(page);
  const exported = page.waitForEvent('download');
  await found.getByRole('button', { name: 'Alles herunterladen' }).click();
  const members = await unzip(await readBytes(await exported));
  expect([...members.values()].some(({ bytes }) => bytes.toString().includes('Zwei'))).toBe(true);
  await found.getByRole('button', { name: 'Alles löschen' }).click();
  const question = page.getByRole('dialog');
  await question.getByRole('checkbox', { name: /^Ja, alles/ }).check();
  await question.getByRole('button', { name: 'Endgültig löschen' }).click();
  const receipt = page.getByRole('region', { name: 'Quittung', exact: true });
  await expect(receipt).toContainText('2 Beiträge');
  const number = (await receipt.locator('dd').last().textContent()) ?? '';
  await page.reload();
  await expect(page.getByRole('listitem').filter({ hasText: number })).toContainText('Alles zu einer Person');
  await page.getByLabel('E-Mail-Adresse').fill(email);
  await page.getByRole('button', { name: 'Suchen' }).click();
  await expect(page.getByText(`Zu ${email} ist nichts gespeichert.`)).toBeVisible();

  await page.goto(`/admin/eingang/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Diesen Beitrag gibt es nicht');
  await expectAccessible(page);
  const left = await asOwner(server.databaseUrl, (client) =>
    client.query(
      `select (select count(*) from interviews where id = $1) + (select count(*) from storage.objects
        where name like $1 || '/%') as left`,
      [id],
    ),
  );
  expect(Number(left.rows[0].left)).toBe(0);
});
