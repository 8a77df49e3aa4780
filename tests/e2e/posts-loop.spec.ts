import type { Browser, Page } from '@playwright/test';
import type { TestServer } from '#tests/support/boot.ts';
import { expect, test } from './application.ts';
import { toDesk } from './desk.ts';
import { getStored } from './flow.ts';
import {
  CHANNEL,
  expectOwnState,
  linkInMail,
  mailAbout,
  publish,
  PUBLISHED_URL,
  save,
  sendForReview,
  writeFromMaterial,
} from './posts-loop.ts';
import { getCard } from './review.ts';
import { leaveContact, PICTURE, record } from './voice-message.ts';

/** The whole loop of a post, each person in a browser of their own (posts). */
const PHONE = { width: 360, height: 800 };
const DESK = { width: 1440, height: 800 };
test.use({ apart: 'posts-loop', viewport: PHONE });

test('From the microphone to the link of the published post, contributors on a phone (posts)', async ({
  page,
  browser,
  server,
  loginAs,
}) => {
  test.slow();
  const contributor = await loginAs('vdi_admin');
  await handInVoiceMessage(page);
  const id = Number((await getStored(server, contributor)).interviews[0]?.id);
  await expectOwnState(page, 'Eingegangen');

  const ada = await openBrowser(browser, server, DESK);
  await toDesk(ada, server, `/admin/eingang/${id}`);
  await ada.getByRole('button', { name: 'Mir zuweisen' }).click();
  await ada.getByRole('button', { name: 'In Arbeit nehmen' }).click();
  await expect(ada.getByRole('button', { name: 'In Arbeit nehmen' })).toHaveCount(0);
  await writeFromMaterial(ada);
  await expectOwnState(page, 'In Arbeit');
  await sendForReview(ada);
  await ada.getByRole('link', { name: 'Material' }).click();
  const first = await linkInMail(server, id, 1);
  await expectOwnState(page, 'Wartet auf dich');

  // The phone on which the mail is read knows no login.
  const phone = await openBrowser(browser, server, PHONE);
  await phone.goto(first);
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Hallo Ada!');
  await getCard(phone, CHANNEL).getByRole('button', { name: 'Bitte ändern' }).click();
  await getCard(phone, CHANNEL).getByRole('textbox').fill('Bitte ohne das Wort Werkstatt.');
  await getCard(phone, CHANNEL).getByRole('button', { name: 'Änderung senden' }).click();
  await expect(getCard(phone, CHANNEL)).toContainText('Dein Wunsch ist beim Team');

  // The open view of the contribution follows by itself (0263).
  await expect(ada.getByText('Änderung gewünscht')).toBeVisible();
  await expect(ada.getByRole('list', { name: 'Verlauf' })).toContainText('durch die Antwort auf die Posts');
  // The message without a link is not offered as the next step where there are posts.
  await expect(ada.getByRole('button', { name: 'Nachricht zur Freigabe schreiben' })).toHaveCount(0);
  await ada.getByRole('link', { name: 'Zu den Posts' }).click();
  await expect(ada.getByRole('button', { name: 'Post anlegen' })).toBeVisible();

  // A colleague goes on with it.
  const bea = await openBrowser(browser, server, DESK);
  await toDesk(bea, server, `/admin/eingang/${id}?ansicht=posts`);
  await expect(bea.getByText('Bitte ohne das Wort Werkstatt.')).toBeVisible();
  await bea.getByLabel('Text', { exact: true }).fill('Jedes Bauteil in unter zwei Sekunden gemessen.');
  await save(bea);
  await sendForReview(bea);
  const second = await linkInMail(server, id, 2);

  await phone.goto('/impressum');
  await phone.goto(first);
  await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Dieser Link gilt nicht mehr');
  await phone.goto('/impressum');
  await phone.goto(second);
  await expect(getCard(phone, CHANNEL)).toContainText('Jedes Bauteil in unter zwei Sekunden gemessen.');
  await getCard(phone, CHANNEL).getByRole('button', { name: 'Passt so' }).click();
  await expect(getCard(phone, CHANNEL)).toContainText('Du hast Ja gesagt');

  await bea.reload();
  await expect(bea.getByText('1 von 1 freigegeben')).toBeVisible();
  await publish(bea, id);
  const told = await mailAbout(server, `Dein Beitrag ${id} ist veröffentlicht`, 1);
  expect([told.to, told.link]).toEqual(['ada@beispiel.test', PUBLISHED_URL]);
  await expectOwnState(page, 'Veröffentlicht');
  await expect(page.getByRole('link', { name: `Auf ${CHANNEL} ansehen` })).toHaveAttribute('href', PUBLISHED_URL);
  await phone.reload();
  await expect(getCard(phone, CHANNEL).getByRole('link', { name: 'Post ansehen' })).toHaveAttribute(
    'href',
    PUBLISHED_URL,
  );
  for (const one of [ada, bea, phone]) await one.context().close();
});

async function openBrowser(browser: Browser, server: TestServer, viewport: typeof PHONE): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE', viewport });
  return context.newPage();
}

async function handInVoiceMessage(page: Page): Promise<void> {
  await page.getByRole('link', { name: /Sprachnachricht/ }).click();
  await record(page);
  await page.getByRole('button', { name: 'Weiter' }).click();
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await page.getByRole('button', { name: 'Hochladen' }).click();
  await leaveContact(page);
  await expect(page).toHaveURL('/');
}
