import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { enterWithSession, expect, test } from './application.ts';
import { enterScreen, startedInterview, getStored } from './flow.ts';
import { expectToast } from './toasts.ts';
import { PICTURE, record } from './voice-message.ts';

const picker = (page: Page) => page.locator('input[type=file]').first();

test('Test area: reload, back where it leads, ten photos and not one more, then its thank-you (§2.7, §2.8, §2.11)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('testnormec');
  const interviewId = await startedInterview(user);
  const editor = page.getByRole('textbox', { name: 'Transkript' });
  await enterScreen(page, '/testnormec/transcript-edit', { transcript: 'Du: Hallo', interviewId });
  await expect(editor).toHaveValue('Du: Hallo');
  await page.reload();
  await expect(editor).toHaveValue('Du: Hallo');
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bilder hinzufügen');
  for (const path of ['/testnormec/transcript-edit', '/testnormec/voice-message', '/testnormec']) {
    await page.getByRole('main').getByRole('button', { name: 'Zurück' }).click();
    await expect(page).toHaveURL(path);
  }
  expect((await getStored(server, user)).interviews).toMatchObject([{ transcript: 'Du: Hallo' }]);

  const second = await startedInterview(user);
  await enterScreen(page, '/testnormec/transcript-edit', { transcript: 'Wir bauen.', interviewId: second });
  await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
  await expect(page).toHaveURL('/testnormec/image-upload-after-voice');
  const photos = Array.from({ length: 10 }, (_, index) => ({ ...PICTURE, name: `foto-${index}.png` }));
  await picker(page).setInputFiles(photos);
  await picker(page).setInputFiles({ ...PICTURE, name: 'zu-viel.png' });
  await expectToast(page, 'Zu viele Dateien', 'Du kannst maximal 10 Dateien hochladen.');
  await expect(page.getByRole('list', { name: 'Ausgewählte Bilder' }).getByRole('listitem')).toHaveCount(10);
  await page.getByRole('button', { name: 'Hochladen', exact: true }).click();
  await expectToast(page, 'Upload erfolgreich', 'Bilder erfolgreich hochgeladen (10)');

  await expect(page).toHaveURL('/testnormec/thank-you');
  await expect(page.getByText('Sprachnachricht', { exact: true })).toBeVisible();
  await expect(page.getByText('foto-9.png')).toBeVisible();
  const { objects } = await getStored(server, user);
  expect(objects.filter((name) => name.startsWith(`${second}/`))).toHaveLength(11);
  expect(await page.evaluate(() => sessionStorage.getItem('testnormecLatestTranscript'))).toBeNull();
  await page.getByRole('button', { name: 'Neuen Content erstellen' }).click();
  await expect(page).toHaveURL('/testnormec');
  expect(await page.evaluate(() => sessionStorage.getItem('testnormecCurrentInterviewId'))).toBeNull();
});

test.describe('D19 limits, as the operator set them', () => {
  let small: TestServer;
  test.beforeAll(async ({ transcription }) => {
    small = await bootServer({
      TRANSCRIPTION_URL: transcription.url,
      LIMIT_RECORDING_BYTES: '1000',
      LIMIT_IMAGE_BYTES: '60',
      LIMIT_TRANSCRIPT_CHARACTERS: '20',
    });
  });
  test.afterAll(() => small.stop());

  test('recording, transcript and image over them: each its own text', async ({ browser }) => {
    const context = await browser.newContext({ baseURL: small.url, permissions: ['microphone'], locale: 'de-DE' });
    await context.addInitScript(() => {
      Reflect.deleteProperty(globalThis, 'SpeechRecognition');
      Reflect.deleteProperty(globalThis, 'webkitSpeechRecognition');
    });
    const page = await context.newPage();
    const user = await createUser(small, { role: 'vdi_admin' });
    await enterWithSession(page, small, user, '/voice-message');
    await record(page, 1);
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await expectToast(page, 'Aufnahme zu groß', 'Lade sie herunter oder sprich kürzer.');
    await expect(page.getByText('Aufnahme fertig')).toBeVisible();

    const interviewId = await startedInterview(user);
    await enterScreen(page, '/transcript-edit', { transcript: 'Dieser Text ist entschieden zu lang', interviewId });
    await expect(page.getByText('Der Text ist zu lang. Höchstens 20 Zeichen sind möglich.')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Weiter zum Bild-Upload' })).toBeDisabled();
    await page.getByRole('textbox', { name: 'Transkript' }).fill('Kurz genug');
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();

    await expect(page).toHaveURL('/image-upload-after-voice');
    await picker(page).setInputFiles(PICTURE);
    await expectToast(page, 'Datei zu groß', 'Ein Bild darf höchstens');
    await context.close();
  });
});
