import { createUser } from '#tests/support/accounts.ts';
import { bootServer } from '#tests/support/boot.ts';
import { enterWithSession, expect, test as base } from './application.ts';
import { record } from './voice-message.ts';
import { expectAccessible } from './findings.ts';

/** An installation that keeps recordings and asks its service for times. */
const test = base.extend({
  server: async ({ transcription }, provide) => {
    const server = await bootServer({
      TRANSCRIPTION_URL: transcription.url,
      TRANSCRIPTION_TIMES: 'true',
      KEEP_RECORDINGS: 'true',
    });
    await provide(server);
    await server.stop();
  },
});

test('Desk: plays a sentence of a voice message that was just recorded', async ({ page, browser, server, loginAs }) => {
  await loginAs('vdi_admin', '/voice-message');
  await expect(page.getByText(/^Deine Aufnahme wird zusammen mit dem Text eingereicht\./)).toBeVisible();
  await expectAccessible(page);
  await record(page, 3);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await expect(page).toHaveURL('/transcript-edit');
  const editor = page.getByRole('textbox', { name: 'Transkript' });
  await expect(editor).toHaveValue(/ Sie misst jedes Bauteil /);
  await editor.fill(`${await editor.inputValue()} Von Hand dazu.`);
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page).toHaveURL('/image-upload-after-voice');

  const admin = await createUser(server, { role: 'admin' });
  const row = await admin.client.from('interviews').select('id').single<{ id: number }>();
  const viewport = { width: 1280, height: 900 };
  const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE', viewport });
  const desk = await context.newPage();
  await enterWithSession(desk, server, admin, `/admin/eingang/${row.data?.id}`);
  const first = desk.getByRole('button', { name: '00:00, von hier an anhören' });
  await expect(first).toHaveCount(2);
  const last = desk.getByRole('button', { name: '00:01, von hier an anhören' });
  await last.click();
  const place = () => desk.locator('audio').evaluate((audio: HTMLAudioElement) => audio.currentTime);
  await expect.poll(place).toBeGreaterThan(1);
  await expect(last.locator('xpath=following-sibling::*[1]')).toHaveText(
    'Sie misst jedes Bauteil in unter zwei Sekunden. Von Hand dazu.',
  );
  // The player was scrolled to: what the header covers then is no finding.
  await desk.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(desk);

  // The same in the view of the posts, from a sentence that rests on what was said.
  await desk.getByRole('link', { name: /^Posts/ }).click();
  await desk.getByRole('button', { name: 'Post anlegen' }).click();
  await desk.getByRole('menuitem', { name: 'LinkedIn' }).click();
  const field = desk.getByLabel('Text', { exact: true });
  await field.fill('Sie misst jedes Bauteil in unter zwei Sekunden.');
  await field.press('ControlOrMeta+Home');
  await expect(desk.getByText('Wörtlich gesagt')).toBeVisible();
  await expect.poll(place, 'another player').toBe(0);
  await desk.getByRole('button', { name: 'Stelle anhören (00:01)' }).press('Enter');
  await expect.poll(place).toBeGreaterThan(1);
  await desk.evaluate(() => window.scrollTo(0, 0));
  await expectAccessible(desk);
  await context.close();
});
