import type { Page } from '@playwright/test';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import { enterScreen, startedInterview, getStored } from './flow.ts';
import { expectToast } from './toasts.ts';
import { leaveContact, PICTURE, record } from './voice-message.ts';

const editor = (page: Page) => page.getByRole('textbox', { name: 'Transkript' });
const heading = (page: Page, name: string) => expect(page.getByRole('heading', { level: 1 })).toHaveText(name);

test.describe('back, forward and reload', () => {
  test('work on every screen of the flow and change nothing that was handed in', async ({ page, server, loginAs }) => {
    const user = await loginAs('vdi_admin', '/voice-message');
    await record(page);
    await page.reload();
    await page.getByRole('button', { name: 'Damit weitermachen' }).click();
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();

    await expect(editor(page)).toHaveValue(SPOKEN_TEXT);
    await editor(page).fill('Unsere Prüfmaschine heißt Mira.');
    await page.reload();
    await expect(editor(page)).toHaveValue('Unsere Prüfmaschine heißt Mira.');
    await page.goBack();
    await heading(page, 'Sprachnachricht');
    await page.reload();
    await heading(page, 'Sprachnachricht');
    await page.goForward();
    await expect(editor(page)).toHaveValue('Unsere Prüfmaschine heißt Mira.');
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();

    await heading(page, 'Bilder hinzufügen');
    await page.reload();
    await heading(page, 'Bilder hinzufügen');
    await page.goBack();
    await expect(editor(page)).toHaveValue('Unsere Prüfmaschine heißt Mira.');
    await page.goForward();
    await heading(page, 'Bilder hinzufügen');
    await page.getByRole('button', { name: 'Überspringen' }).click();

    await heading(page, 'Vielen Dank für deinen Beitrag!');
    const { interviews } = await getStored(server, user);
    expect(interviews).toMatchObject([{ transcript: 'Unsere Prüfmaschine heißt Mira.' }]);
    const id = interviews[0]?.id ?? '';
    await page.reload();
    await expect(page.getByText(`Content-ID: ${id}`)).toBeVisible();
    await page.goBack();
    await heading(page, 'Bilder hinzufügen');
    await page.goForward();
    await expect(page.getByText(`Content-ID: ${id}`)).toBeVisible();
    await leaveContact(page);
    await expect(page).toHaveURL('/');
    expect((await getStored(server, user)).interviews).toHaveLength(1);
  });

  test('The browser’s back steps through the stages and keeps the file (§2.9)', async ({ page, loginAs }) => {
    await loginAs('vdi_admin', '/image-upload');
    await page.locator('input[type=file]').first().setInputFiles(PICTURE);
    await page.getByRole('button', { name: 'Weiter', exact: true }).click();
    await page.getByRole('button', { name: /Textformular/ }).click();
    await page.getByLabel('Wer?').fill('Ada');
    await page.goBack();
    await heading(page, 'Wie möchtest du es beschreiben?');
    await page.goBack();
    await heading(page, 'Bild hochladen');
    await expect(page.getByRole('button', { name: /entfernen/ })).toBeVisible();
    await page.goForward();
    await page.goForward();
    await expect(page.getByLabel('Wer?')).toHaveValue('Ada');
    await page.getByRole('button', { name: 'Zurück' }).click();
    await heading(page, 'Wie möchtest du es beschreiben?');
  });

  test('A second contribution after the first is one of its own (§2.6)', async ({ page, server, loginAs }) => {
    const user = await loginAs('vdi_admin');
    for (const rows of [1, 2]) {
      await page.goto('/voice-message');
      await record(page, 1);
      await page.getByRole('button', { name: 'Weiter', exact: true }).click();
      await expect(editor(page)).toHaveValue(SPOKEN_TEXT);
      expect((await getStored(server, user)).interviews).toHaveLength(rows);
    }
  });

  test('test area: the same, and back leads where §2.7 and §2.8 say', async ({ page, server, loginAs }) => {
    const user = await loginAs('testnormec');
    const interviewId = await startedInterview(user);
    await enterScreen(page, '/testnormec/transcript-edit', { transcript: 'Du: Hallo', interviewId });
    await expect(editor(page)).toHaveValue('Du: Hallo');
    await page.reload();
    await expect(editor(page)).toHaveValue('Du: Hallo');
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
    await heading(page, 'Bilder hinzufügen');
    await page.getByRole('button', { name: 'Zurück' }).click();
    await expect(page).toHaveURL('/testnormec/transcript-edit');
    await page.getByRole('button', { name: 'Zurück' }).click();
    await expect(page).toHaveURL('/testnormec/voice-message');
    await page.getByRole('button', { name: 'Zurück' }).click();
    await expect(page).toHaveURL('/testnormec');
    expect((await getStored(server, user)).interviews).toMatchObject([{ transcript: 'Du: Hallo' }]);
  });
});

test.describe('missing ids', () => {
  const none = ['Keine Transkription vorhanden', 'Bitte nehmen Sie erst eine Sprachnachricht auf.'] as const;
  const later = 'Keine Interview-ID gefunden. Uploads werden möglicherweise nicht korrekt gespeichert.';
  const REFUSED = [
    ['vdi_admin', '/transcript-edit', '/interview-category', ...none],
    ['firma_a', '/firma-a/transcript-edit', '/firma-a/interview-category', ...none],
    ['testnormec', '/testnormec/transcript-edit', '/testnormec/voice-message', ...none],
    ['vdi_admin', '/image-upload-after-voice', '/image-upload-after-voice', 'Hinweis', later],
    ['firma_b', '/firma-b/image-upload-after-voice', '/firma-b/image-upload-after-voice', 'Hinweis', later],
    [
      'testnormec',
      '/testnormec/image-upload-after-voice',
      '/testnormec',
      'Keine Interview-ID gefunden',
      'Bitte starten Sie den Prozess von vorne.',
    ],
  ] as const;

  test('Refuses the transcript and the pictures after it without an id, in each area (§8)', async ({
    page,
    loginAs,
  }) => {
    for (const [role, path, end, title, description] of REFUSED) {
      await loginAs(role, path);
      await expectToast(page, title, description);
      await expect(page).toHaveURL(end);
    }
  });

  test('The generic upload without an id is refused with its text (§2.8)', async ({ page, loginAs }) => {
    await loginAs('vdi_admin', '/image-upload-after-voice');
    await page.locator('input[type=file]').first().setInputFiles(PICTURE);
    await page.getByRole('button', { name: 'Hochladen' }).click();
    await expectToast(page, 'Fehler', 'Keine Interview-ID gefunden. Bitte starte den Prozess erneut.');
  });

  test('A transcript without an id: the warning, and on (§5)', async ({ page, loginAs }) => {
    await loginAs('vdi_admin');
    await enterScreen(page, '/transcript-edit', { transcript: 'Du: Hallo' });
    await expectToast(page, 'Keine Content-ID');
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
    await expect(page).toHaveURL('/image-upload-after-voice');
  });

  test('Thank-you without an id: the yellow hint and no form, in each area (§2.11)', async ({ page, loginAs }) => {
    for (const [role, path, link] of [
      ['vdi_admin', '/thank-you', 'Zur Upload-Seite'],
      ['firma_a', '/firma-a/thank-you', 'Zur Upload-Seite'],
      ['testnormec', '/testnormec/thank-you', 'Zur Sprachnachricht'],
    ] as const) {
      await loginAs(role, path);
      await expect(page.getByText('Keine Content-ID gefunden')).toBeVisible();
      await expect(page.getByText(/Bitte gehe zurück zur Upload-Seite/)).toBeVisible();
      await expect(page.getByText('Noch keine Dateien hochgeladen')).toBeVisible();
      await expect(page.getByText('Kontaktdaten für Review und Nutzung')).toHaveCount(0);
      await page.getByRole('link', { name: link }).click();
      await expect(page).not.toHaveURL(path);
    }
  });
});

test.describe('a hand-made history state', () => {
  for (const state of [
    { transcript: { text: 'x' }, interviewId: 7 },
    { transcript: ['x'] },
    { interviewId: { id: 1 } },
  ]) {
    test(`of the wrong shape is none: ${JSON.stringify(state)}`, async ({ page, loginAs }) => {
      await loginAs('vdi_admin');
      await enterScreen(page, '/transcript-edit', state);
      await expectToast(page, 'Keine Transkription vorhanden');
      await expect(page).toHaveURL('/interview-category');
    });
  }

  test("with somebody else's id changes nothing of theirs and says so", async ({ page, server, loginAs }) => {
    const owner = await loginAs('vdi_admin');
    const interviewId = await startedInterview(owner);
    await owner.client.from('interviews').update({ transcript: 'Nur meins' }).eq('id', interviewId);
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await expect(page).toHaveURL('/login');
    await loginAs('firma_a');
    await enterScreen(page, '/firma-a/transcript-edit', { transcript: 'Überschrieben', interviewId });
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
    await expectToast(page, 'Speicherwarnung', 'Das Transkript konnte nicht vollständig gespeichert werden.');
    await expect(page).toHaveURL('/firma-a/image-upload-after-voice');
    expect(await getStored(server, owner)).toMatchObject({ interviews: [{ transcript: 'Nur meins' }], objects: [] });
  });
});

test('two tabs work on two contributions', async ({ page, context, server, loginAs }) => {
  const user = await loginAs('vdi_admin');
  const other = await context.newPage();
  await other.goto('/impressum');
  const [first, second] = [await startedInterview(user), await startedInterview(user)];
  await enterScreen(page, '/transcript-edit', { transcript: 'Erster', interviewId: first });
  await enterScreen(other, '/transcript-edit', { transcript: 'Zweiter', interviewId: second });
  await editor(page).fill('Erster Text');
  await editor(other).fill('Zweiter Text');
  await page.reload();
  await expect(editor(page)).toHaveValue('Erster Text');
  for (const tab of [page, other]) {
    await tab.bringToFront();
    await tab.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
    await heading(tab, 'Bilder hinzufügen');
  }
  const { interviews } = await getStored(server, user);
  expect(interviews.map((row) => row.transcript)).toEqual(['Erster Text', 'Zweiter Text']);
});

test('A thank-you screen in another tab neither shows nor clears a text that is not its own (decision 0371)', async ({
  page,
  context,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  const other = await context.newPage();
  await other.goto('/impressum');
  const [first, second] = [await startedInterview(user), await startedInterview(user)];
  await enterScreen(page, '/transcript-edit', { transcript: '', interviewId: first });
  await editor(page).fill('Erster Text');
  await other.bringToFront();
  await enterScreen(other, '/thank-you', { interviewId: second });
  await expect(other.getByText(`Content-ID: ${second}`)).toBeVisible();
  await expect(other.getByText('Noch keine Dateien hochgeladen')).toBeVisible();
  await expect(other.getByRole('region', { name: 'Transkript' })).toHaveCount(0);
  await leaveContact(other);
  await expectToast(other, 'Erfolgreich', 'Ihre Kontaktdaten wurden gespeichert. Wir werden Sie kontaktieren.');

  const last = await context.newPage();
  await last.goto('/impressum');
  await enterScreen(last, '/transcript-edit', { transcript: '', interviewId: first });
  await expect(editor(last)).toHaveValue('Erster Text');
});
