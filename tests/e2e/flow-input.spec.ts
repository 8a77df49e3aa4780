import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { enterWithSession, expect, test } from './application.ts';
import { enterScreen, startedInterview, getStored } from './flow.ts';
import { expectToast } from './toasts.ts';
import { leaveContact, PICTURE, record } from './voice-message.ts';

const picker = (page: Page) => page.locator('input[type=file]').first();
const upload = (page: Page) => page.getByRole('button', { name: 'Hochladen', exact: true });

test.describe('§5 images', () => {
  const refused = 'Einige Dateien wurden nicht hinzugefügt, da sie nicht unterstützt werden.';

  test('Another type, HEIC, an empty file and one without an ending are not added; none at all is not sent', async ({
    page,
    loginAs,
  }) => {
    const user = await loginAs('vdi_admin');
    await enterScreen(page, '/image-upload-after-voice', { interviewId: await startedInterview(user) });
    for (const [name, mimeType, content, title, description] of [
      ['plan.pdf', 'application/pdf', 'x', 'Ungültiger Dateityp', refused],
      ['foto.heic', 'image/heic', 'x', 'Ungültiger Dateityp', 'HEIC-Fotos können noch nicht angezeigt werden.'],
      ['leer.png', 'image/png', '', 'Leere Datei', '„leer.png“ enthält nichts. Bitte wähle sie neu aus.'],
      ['ohne-endung', 'image/png', 'x', 'Ungültiger Dateityp', refused],
    ] as const) {
      await picker(page).setInputFiles({ name, mimeType, buffer: Buffer.from(content) });
      await expectToast(page, title, description);
      await expect(page.getByRole('list', { name: 'Ausgewählte Bilder' })).toHaveCount(0);
    }
    await upload(page).click();
    await expectToast(page, 'Keine Dateien zum Hochladen');
  });

  test('Generic: one, and a second takes its place (§2.8)', async ({ page, loginAs }) => {
    const user = await loginAs('vdi_admin');
    await enterScreen(page, '/image-upload-after-voice', { interviewId: await startedInterview(user) });
    await picker(page).setInputFiles(PICTURE);
    await picker(page).setInputFiles({ ...PICTURE, name: 'halle.png' });
    await expect(page.getByRole('list', { name: 'Ausgewählte Bilder' }).getByRole('listitem')).toHaveText(/halle\.png/);
  });

  test('Test area: ten photos and not one more, then its thank-you (§2.8, §2.11)', async ({
    page,
    server,
    loginAs,
  }) => {
    const user = await loginAs('testnormec');
    const interviewId = await startedInterview(user);
    await enterScreen(page, '/testnormec/transcript-edit', { transcript: 'Wir bauen.', interviewId });
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
    await expect(page).toHaveURL('/testnormec/image-upload-after-voice');
    const photos = Array.from({ length: 10 }, (_, index) => ({ ...PICTURE, name: `foto-${index}.png` }));
    await picker(page).setInputFiles(photos);
    await picker(page).setInputFiles({ ...PICTURE, name: 'zu-viel.png' });
    await expectToast(page, 'Zu viele Dateien', 'Du kannst maximal 10 Dateien hochladen.');
    await expect(page.getByRole('list', { name: 'Ausgewählte Bilder' }).getByRole('listitem')).toHaveCount(10);
    await upload(page).click();
    await expectToast(page, 'Upload erfolgreich', 'Bilder erfolgreich hochgeladen (10)');

    await expect(page).toHaveURL('/testnormec/thank-you');
    await expect(page.getByText('Sprachnachricht', { exact: true })).toBeVisible();
    await expect(page.getByText('foto-9.png')).toBeVisible();
    expect((await getStored(server, user)).objects).toHaveLength(11);
    expect(await page.evaluate(() => sessionStorage.getItem('testnormecLatestTranscript'))).toBeNull();
    await page.getByRole('button', { name: 'Neuen Content erstellen' }).click();
    await expect(page).toHaveURL('/testnormec');
    expect(await page.evaluate(() => sessionStorage.getItem('testnormecCurrentInterviewId'))).toBeNull();
  });

  test('N von M: one of two is refused (§8)', async ({ page, loginAs }) => {
    const user = await loginAs('testnormec');
    await enterScreen(page, '/testnormec/image-upload-after-voice', { interviewId: await startedInterview(user) });
    await picker(page).setInputFiles([PICTURE, { ...PICTURE, name: 'halle.png' }]);
    let uploads = 0;
    await page.route('**/storage/v1/object/**', (route) => {
      uploads += 1;
      return uploads === 1 ? route.fulfill({ status: 403, body: '{"statusCode":"403"}' }) : route.fallback();
    });
    await upload(page).click();
    await expectToast(page, 'Upload erfolgreich', '1 von 2 Datei(en) wurden erfolgreich hochgeladen.');
  });
});

test('Contact: every field says what it wants (§5)', async ({ page, loginAs }) => {
  const user = await loginAs('vdi_admin');
  await enterScreen(page, '/thank-you', { interviewId: await startedInterview(user) });
  // An account's address stands there already.
  await page.getByLabel('E-Mail').clear();
  await page.getByRole('button', { name: 'Content übermitteln' }).click();
  for (const text of ['Vorname ist erforderlich', 'Nachname ist erforderlich', 'Gültige E-Mail-Adresse erforderlich'])
    await expect(page.getByText(text)).toBeVisible();
  await page.getByLabel('E-Mail').fill('keine-adresse');
  await page.getByRole('button', { name: 'Content übermitteln' }).click();
  await expect(page.getByText('Gültige E-Mail-Adresse erforderlich')).toBeVisible();
  await leaveContact(page);
  await expectToast(page, 'Erfolgreich', 'Ihre Kontaktdaten wurden gespeichert. Wir werden Sie kontaktieren.');
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
    await expectToast(page, 'Aufnahme zu groß', 'Lade sie herunter oder nimm eine kürzere auf.');
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
