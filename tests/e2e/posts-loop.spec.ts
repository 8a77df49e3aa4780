import type { Browser, Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { mailsIn, type ReadMail } from '#tests/support/outbox.ts';
import { expect, login, test } from './application.ts';
import { getStored } from './flow.ts';
import { getCard } from './review.ts';
import { leaveContact, PICTURE, record } from './voice-message.ts';

/** The whole loop of a post, each person in a browser of their own (posts). */
test.use({ apart: 'posts-loop', actionTimeout: 60_000 });

const PUBLISHED_URL = 'https://www.linkedin.com/posts/pruefmaschine';
const CHANNEL = 'LinkedIn';

for (const width of [360, 1440])
  test(`From the microphone to the link of the published post, at ${width} px (posts)`, async ({
    page,
    browser,
    server,
    loginAs,
  }) => {
    test.slow();
    await page.setViewportSize({ width, height: 800 });
    const contributor = await loginAs('vdi_admin');
    await handInVoiceMessage(page);
    const id = Number((await getStored(server, contributor)).interviews[0]?.id);
    await expectOwnState(page, 'Eingegangen');

    const ada = await openBrowser(browser, server, width);
    await login(ada, await createUser(server, { role: 'admin' }));
    await ada.goto(`/admin/eingang/${id}`);
    await ada.getByRole('button', { name: 'Mir zuweisen' }).click();
    await ada.getByRole('button', { name: 'In Arbeit nehmen' }).click();
    await expect(ada.getByRole('button', { name: 'In Arbeit nehmen' })).toHaveCount(0);
    await writeFromMaterial(ada);
    await expectOwnState(page, 'In Arbeit');
    await sendForReview(ada);
    const first = await linkInMail(server, id, 1);
    await expectOwnState(page, 'Wartet auf dich');

    // The phone on which the mail is read knows no login.
    const phone = await openBrowser(browser, server, width);
    await phone.goto(first);
    await expect(phone.getByRole('heading', { level: 1 })).toHaveText('Hallo Ada!');
    await getCard(phone, CHANNEL).getByRole('button', { name: 'Bitte ändern' }).click();
    await getCard(phone, CHANNEL).getByRole('textbox').fill('Bitte ohne das Wort Werkstatt.');
    await getCard(phone, CHANNEL).getByRole('button', { name: 'Änderung senden' }).click();
    await expect(getCard(phone, CHANNEL)).toContainText('Dein Wunsch ist beim Team');

    // A colleague goes on with it.
    const bea = await openBrowser(browser, server, width);
    await login(bea, await createUser(server, { role: 'admin' }));
    await openPosts(bea, id);
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
    await expect(getCard(phone, CHANNEL).getByRole('link', { name: 'Beitrag ansehen' })).toHaveAttribute(
      'href',
      PUBLISHED_URL,
    );
    for (const one of [ada, bea, phone]) await one.context().close();
  });

async function openBrowser(browser: Browser, server: TestServer, width: number): Promise<Page> {
  const context = await browser.newContext({
    baseURL: server.url,
    locale: 'de-DE',
    viewport: { width, height: 800 },
  });
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

async function expectOwnState(page: Page, state: string): Promise<void> {
  await page.goto('/meine-beitraege');
  const rows = page.getByRole('list', { name: 'Meine Beiträge' }).locator('> li');
  await expect(rows).toHaveCount(1);
  await expect(rows.first()).toContainText(state);
}

async function openPosts(page: Page, id: number): Promise<void> {
  await page.goto(`/admin/eingang/${id}?ansicht=posts`);
  await expect(page.getByLabel('Text', { exact: true })).toBeVisible();
}

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Speichern' }).click();
  await expect(page.getByText('Gespeichert', { exact: true })).toBeVisible();
}

async function writeFromMaterial(page: Page): Promise<void> {
  await page.getByRole('link', { name: /^Posts/ }).click();
  await page.getByRole('button', { name: 'Post anlegen' }).click();
  await page.getByRole('menuitemcheckbox', { name: CHANNEL }).click();
  await page.getByRole('button', { name: 'Aus dem Material beginnen' }).click();
  await expect(page.getByText('Alle Angaben sind belegt.')).toBeVisible();
  await page.getByRole('checkbox', { name: 'Bild 1 (PNG) verwenden' }).press('Space');
  await page.getByLabel('Alternativtext von Bild 1 (PNG)').fill('Die Prüfmaschine');
  await save(page);
}

async function sendForReview(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Zur Freigabe senden' }).click();
  const dialog = page.getByRole('dialog', { name: 'Zur Freigabe senden?' });
  await dialog.getByRole('button', { name: '1 Post senden' }).click();
  await expect(dialog).toHaveCount(0);
}

/** The post, and then the contribution as a whole: that one tells the contributor. */
async function publish(page: Page, id: number): Promise<void> {
  await page.getByRole('button', { name: 'Veröffentlicht' }).click();
  const post = page.getByRole('dialog', { name: 'Wo steht der Post?' });
  await post.getByLabel(/^Adresse/).fill(PUBLISHED_URL);
  await post.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(page.getByRole('link', { name: PUBLISHED_URL })).toBeVisible();
  await page.goto(`/admin/eingang/${id}`);
  await page.getByRole('button', { name: 'Status ändern' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Veröffentlicht' }).click();
  const whole = page.getByRole('dialog', { name: 'Veröffentlicht' });
  await whole.getByLabel(/^Link/).fill(PUBLISHED_URL);
  await whole.getByRole('button', { name: 'Als veröffentlicht speichern' }).click();
  await expect(whole).toHaveCount(0);
}

/** The newest mail with the subject, once so many have been written. */
async function mailAbout(server: TestServer, subject: string, count: number): Promise<ReadMail> {
  const find = async () => (await mailsIn(server.dataDir)).filter((mail) => mail.subject === subject);
  await expect.poll(async () => (await find()).length, { timeout: 30_000 }).toBe(count);
  const newest = (await find()).at(-1);
  if (newest === undefined) throw new Error('no mail');
  return newest;
}

/** As the contributor follows it: to this server, with the key behind '#'. */
async function linkInMail(server: TestServer, id: number, count: number): Promise<string> {
  const { to, link } = await mailAbout(server, `Dein Beitrag ${id}: Passt das so?`, count);
  expect(to).toBe('ada@beispiel.test');
  const { origin, pathname, hash } = new URL(link);
  expect([origin, pathname]).toEqual([server.url, '/freigabe']);
  return `${pathname}${hash}`;
}
