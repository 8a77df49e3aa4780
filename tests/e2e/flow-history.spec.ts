import type { Page } from '@playwright/test';
import { SPOKEN_TEXT } from '#tests/support/transcription-service.ts';
import { expect, test } from './application.ts';
import { enterScreen, startedInterview, getStored } from './flow.ts';
import { expectToast } from './toasts.ts';
import { countKeptPieces, leaveContact, record } from './voice-message.ts';

const editor = (page: Page) => page.getByRole('textbox', { name: 'Transkript' });
const heading = (page: Page, name: string) => expect(page.getByRole('heading', { level: 1 })).toHaveText(name);

test.describe('back, forward and reload', () => {
  test('work on every screen of the flow and change nothing that was handed in', async ({ page, server, loginAs }) => {
    const user = await loginAs('vdi_admin', '/voice-message');
    await record(page);
    await expect.poll(() => page.evaluate(countKeptPieces)).toBeGreaterThan(0);
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
});

test("A hand-made history state with somebody else's id changes nothing of theirs and says so (§4)", async ({
  page,
  server,
  loginAs,
}) => {
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

test('Two tabs work on two contributions, and a thank-you screen neither shows nor clears a text that is not its own (decision 0371)', async ({
  page,
  context,
  server,
  loginAs,
}) => {
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

  const third = await startedInterview(user);
  await enterScreen(page, '/transcript-edit', { transcript: '', interviewId: first });
  await editor(page).fill('Erster Text, noch einmal');
  await other.bringToFront();
  await enterScreen(other, '/thank-you', { interviewId: third });
  await expect(other.getByText(`Content-ID: ${third}`)).toBeVisible();
  await expect(other.getByText('Noch keine Dateien hochgeladen')).toBeVisible();
  await expect(other.getByRole('region', { name: 'Transkript' })).toHaveCount(0);
  await leaveContact(other);
  await expectToast(other, 'Erfolgreich', 'Ihre Kontaktdaten wurden gespeichert. Wir werden Sie kontaktieren.');

  const last = await context.newPage();
  await last.goto('/impressum');
  await enterScreen(last, '/transcript-edit', { transcript: '', interviewId: first });
  await expect(editor(last)).toHaveValue('Erster Text, noch einmal');
});
