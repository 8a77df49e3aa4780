import type { Page } from '@playwright/test';
import { ownArea } from '#contract/areas.ts';
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

/** Back and forward again (decision 0256). */
async function again(page: Page): Promise<void> {
  await page.goBack();
  await page.goForward();
}

async function walkVoiceMessage(page: Page): Promise<void> {
  await expectStep(page, 'Sprachnachricht', 'Schritt 1 von 4');
  await record(page, 1);
  await again(page);
  await press(page, 'Damit weitermachen');
  await expect(page.getByText('Aufnahme fertig')).toBeVisible();
  await press(page, /^(Weiter|Hochladen & Transkribieren)$/);
  await expectStep(page, 'Transkript bearbeiten', 'Schritt 2 von 4');
  await press(page, 'Weiter zum Bild-Upload');
  await expectStep(page, 'Bilder hinzufügen', 'Schritt 3 von 4');
  await press(page, 'Überspringen');
  await expectStep(page, THANKS, 'Schritt 4 von 4');
}

/** Of the screens at the end of a voice message. */
async function keepsPictureAndContact(page: Page): Promise<void> {
  await page.getByLabel('Vorname').fill('Ada');
  await page.goBack();
  await choose(page, PICTURE);
  await expect(page.getByText(PICTURE.name)).toBeVisible();
  await again(page);
  await expect(page.getByText(PICTURE.name)).toBeVisible();
  await page.goForward();
  await expect(page.getByLabel('Vorname')).toHaveValue('Ada');
}

async function walkDocument(page: Page, base: string): Promise<void> {
  await walkTo(page, `${base}/document-upload`);
  await expectStep(page, 'Dokument hochladen', 'Schritt 1 von 2');
  await choose(page, REPORT);
  await expect(page.getByText(REPORT.name)).toBeVisible();
  await again(page);
  await expect(page.getByText(REPORT.name)).toBeVisible();
  await press(page, 'Hochladen');
  await expectStep(page, THANKS, 'Schritt 2 von 2');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dokument hochladen');
  await expect(page.getByText(REPORT.name)).toHaveCount(0);
}

async function walkImage(page: Page, base: string): Promise<void> {
  const describe = 'Wie möchtest du es beschreiben?';
  await walkTo(page, `${base}/image-upload`);
  await expectStep(page, 'Bild hochladen', 'Schritt 1 von 4');
  await choose(page, PICTURE);
  await press(page, 'Weiter');
  await expectStep(page, describe, 'Schritt 2 von 4');
  await page.getByRole('button', { name: /Textformular/ }).click();
  await expect(page.getByText(/^Schritt \d/)).toContainText('Schritt 3 von 4');
  await page.getByLabel('Wer?').fill('Ada');
  await page.getByRole('link', { name: 'Zum eigenen Bereich' }).click();
  await expect(page).toHaveURL(base);
  await page.goBack();
  await expect(page.getByLabel('Wer?')).toHaveValue('Ada');
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(describe);
  await page.goBack();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Bild hochladen');
  await expect(page.getByText(PICTURE.name)).toBeVisible();
  await expect(page.getByRole('button', { name: /entfernen/ })).toBeVisible();
  await page.goForward();
  await page.goForward();
  await expect(page.getByLabel('Wer?')).toHaveValue('Ada');
  await press(page, 'Zurück');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(describe);
  await page.getByRole('button', { name: /Textformular/ }).click();
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

/** One role an area that has something of its own; that nothing else differs shows `fifth-area.test.ts`. */
for (const role of ['vdi_admin', 'firma_b', 'testnormec'] as const)
  test(`${role}: the steps count once upward through every flow that is spoken, and back and forward lose nothing (decisions 0256, 0259)`, async ({
    page,
    loginAs,
  }) => {
    await loginAs(role);
    const base = ownArea(role)?.base ?? '';
    // D2: a company's card leads into its own area.
    await page
      .getByRole('link', { name: /Sprachnachricht/ })
      .first()
      .click();
    await expect(page).toHaveURL(`${base}/voice-message`);
    await walkVoiceMessage(page);
    await keepsPictureAndContact(page);
    await walkInterview(page, base);
  });

test('The steps count once upward through the flows of files, and back and forward lose nothing (decisions 0256, 0259)', async ({
  page,
  loginAs,
}) => {
  await loginAs('firma_b');
  await walkDocument(page, '/firma-b');
  await walkImage(page, '/firma-b');
});

test('Back and forward out of the application keep what was written in an interview (decision 0256)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin');
  await openInterview(page, '/interview/free-topic');
  await press(page, 'Interview starten');
  await write(page, 'Ein Kran, der sich selbst aufstellt.');
  await again(page);
  await expect(said(page).filter({ hasText: 'Ein Kran' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Interview fortsetzen' })).toBeVisible();
});

test('A guest’s photos are kept by way of the Impressum (decision 0256)', async ({ page }) => {
  await page.goto('/upload');
  await choose(page, PICTURE);
  await expect(page.getByText(PICTURE.name)).toBeVisible();
  await page.getByRole('link', { name: 'Impressum' }).click();
  await expect(page).toHaveURL('/impressum');
  await page.goBack();
  await expect(page.getByText(PICTURE.name)).toBeVisible();
});
