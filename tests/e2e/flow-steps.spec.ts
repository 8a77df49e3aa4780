import type { Page } from '@playwright/test';
import { ownArea } from '#contract/areas.ts';
import { ROLES, type Role } from '#contract/roles.ts';
import { expect, test } from './application.ts';
import { answerAll, choose, PICTURE, REPORT } from './files.ts';
import { walkTo } from './flow.ts';
import { openInterview, write, said } from './interview.ts';
import { record } from './voice-message.ts';

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();

async function expectStep(page: Page, heading: string | RegExp, step: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
  await expect(page.getByText(/^Schritt \d/)).toContainText(step);
}

const THANKS = 'Vielen Dank für deinen Beitrag!';

async function walkVoiceMessage(page: Page, base: string): Promise<void> {
  await walkTo(page, `${base}/voice-message`);
  await expectStep(page, 'Sprachnachricht', 'Schritt 1 von 4');
  await record(page, 1);
  await press(page, /^(Weiter|Hochladen & Transkribieren)$/);
  await expectStep(page, 'Transkript bearbeiten', 'Schritt 2 von 4');
  await press(page, 'Weiter zum Bild-Upload');
  await expectStep(page, 'Bilder hinzufügen', 'Schritt 3 von 4');
  await press(page, 'Überspringen');
  await expectStep(page, THANKS, 'Schritt 4 von 4');
}

async function walkDocument(page: Page, base: string): Promise<void> {
  await walkTo(page, `${base}/document-upload`);
  await expectStep(page, 'Dokument hochladen', 'Schritt 1 von 2');
  await choose(page, REPORT);
  await press(page, 'Hochladen');
  await expectStep(page, THANKS, 'Schritt 2 von 2');
}

async function walkImage(page: Page, base: string): Promise<void> {
  await walkTo(page, `${base}/image-upload`);
  await expectStep(page, 'Bild hochladen', 'Schritt 1 von 4');
  await choose(page, PICTURE);
  await press(page, 'Weiter');
  await expectStep(page, 'Wie möchtest du es beschreiben?', 'Schritt 2 von 4');
  await page.getByRole('button', { name: /Textformular/ }).click();
  await expect(page.getByText(/^Schritt \d/)).toContainText('Schritt 3 von 4');
  await answerAll(page);
  await press(page, 'Absenden');
  await expectStep(page, THANKS, 'Schritt 4 von 4');
}

async function walkInterview(page: Page, base: string): Promise<void> {
  await walkTo(page, `${base}/interview-category`);
  await expectStep(page, 'Worüber möchtest du sprechen?', 'Schritt 1 von 6');
  await page.getByRole('link', { name: /Hinter den Kulissen/ }).click();
  await expectStep(page, 'Bevor es losgeht', 'Schritt 2 von 6');
  await press(page, 'Ich habe die Hinweise gelesen');
  await expectStep(page, /Content-Interview-Bot$/, 'Schritt 3 von 6');
  await press(page, 'Interview starten');
  await write(page, 'Ein Kran, der sich selbst aufstellt.');
  await press(page, 'Interview beenden');
  await press(page, 'Transkript bearbeiten');
  await expectStep(page, 'Transkript bearbeiten', 'Schritt 4 von 6');
  await press(page, 'Weiter zum Bild-Upload');
  await expectStep(page, 'Bilder hinzufügen', 'Schritt 5 von 6');
  await press(page, 'Überspringen');
  await expectStep(page, THANKS, 'Schritt 6 von 6');
}

for (const role of ROLES)
  test(`${role}: the steps count once upward through every flow (decision 0259)`, async ({ page, loginAs }) => {
    await loginAs(role);
    const base = ownArea(role)?.base ?? '';
    await walkVoiceMessage(page, base);
    await walkInterview(page, base);
    if (!offersFiles(role)) return;
    await walkDocument(page, base);
    await walkImage(page, base);
  });

function offersFiles(role: Role): boolean {
  return ownArea(role)?.flows.includes('document-upload') ?? false;
}

test.describe('back and forward lose nothing (decision 0256)', () => {
  const again = async (page: Page): Promise<void> => {
    await page.goBack();
    await page.goForward();
  };

  test('voice message: the recording', async ({ page, loginAs }) => {
    await loginAs('vdi_admin');
    await page.getByRole('link', { name: /Sprachnachricht aufnehmen/ }).click();
    await record(page, 1);
    await again(page);
    await press(page, 'Damit weitermachen');
    await expect(page.getByText('Aufnahme fertig')).toBeVisible();
  });

  test('interview: what was written', async ({ page, loginAs }) => {
    await loginAs('vdi_admin');
    await openInterview(page, '/interview/free-topic');
    await press(page, 'Interview starten');
    await write(page, 'Ein Kran, der sich selbst aufstellt.');
    await again(page);
    await expect(said(page).filter({ hasText: 'Ein Kran' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Interview fortsetzen' })).toBeVisible();
  });

  test('document: the file, until it is handed in', async ({ page, loginAs }) => {
    await loginAs('vdi_admin');
    await page.getByRole('link', { name: /Dokument hochladen/ }).click();
    await choose(page, REPORT);
    await expect(page.getByText(REPORT.name)).toBeVisible();
    await again(page);
    await expect(page.getByText(REPORT.name)).toBeVisible();
    await press(page, 'Hochladen');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(THANKS);
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dokument hochladen');
    await expect(page.getByText(REPORT.name)).toHaveCount(0);
  });

  test('picture: file and answers, out of the flow and back', async ({ page, loginAs }) => {
    await loginAs('firma_b');
    await page.getByRole('link', { name: /Bild hochladen/ }).click();
    await choose(page, PICTURE);
    await press(page, 'Weiter');
    await page.getByRole('button', { name: /Textformular/ }).click();
    await page.getByLabel('Wer?').fill('Ada');
    await page.getByRole('link', { name: 'Zum eigenen Bereich' }).click();
    await expect(page).toHaveURL('/firma-b');
    await page.goBack();
    await expect(page.getByLabel('Wer?')).toHaveValue('Ada');
    await page.goBack();
    await page.goBack();
    await expect(page.getByText('werkstatt.png')).toBeVisible();
  });

  test('pictures after a voice message, and the contact details', async ({ page, loginAs }) => {
    await loginAs('vdi_admin');
    await walkVoiceMessage(page, '');
    await page.getByLabel('Vorname').fill('Ada');
    await page.goBack();
    await choose(page, PICTURE);
    await again(page);
    await expect(page.getByText('werkstatt.png')).toBeVisible();
    await page.goForward();
    await expect(page.getByLabel('Vorname')).toHaveValue('Ada');
  });

  test('guest: the photos, by way of the Impressum', async ({ page }) => {
    await page.goto('/upload');
    await choose(page, PICTURE);
    await expect(page.getByText('werkstatt.png')).toBeVisible();
    await page.getByRole('link', { name: 'Impressum' }).click();
    await expect(page).toHaveURL('/impressum');
    await page.goBack();
    await expect(page.getByText('werkstatt.png')).toBeVisible();
  });
});
