import type { Page, Route } from '@playwright/test';
import { walkTo } from './flow.ts';
import { expect, said, startInterview, test, write } from './interview.ts';
import { expectRecorded, PICTURE } from './voice-message.ts';

test.use({ apart: 'leaving', viewport: { width: 1440, height: 900 } });

const question = (page: Page, name: string) => page.getByRole('alertdialog', { name });
const RECORDING = 'Deine Aufnahme läuft noch';
const UPLOAD = 'Deine Dateien werden noch hochgeladen';
const INTERVIEW = 'Dein Interview läuft noch';

/** Each way out asks, and 'Hier bleiben' changes nothing. */
async function staysByEveryWay(page: Page, name: string, ways: Readonly<Record<string, () => Promise<unknown>>>) {
  const at = page.url();
  for (const leave of Object.values(ways)) {
    await leave();
    await question(page, name).getByRole('button', { name: 'Hier bleiben' }).click();
    await expect(question(page, name)).toHaveCount(0);
    await expect(page).toHaveURL(at);
  }
}

const logo = (page: Page) => page.getByRole('link', { name: 'Zum eigenen Bereich' }).click();
const navigation = (page: Page) =>
  page
    .getByRole('navigation')
    .getByRole('link', { name: /^Meine Beiträge/ })
    .click();
const title = (page: Page) =>
  page.getByRole('banner').getByRole('link', { name: 'Social-Media-Content-Assistent' }).click();
const goAnyway = (page: Page, name: string) =>
  question(page, name).getByRole('button', { name: 'Trotzdem gehen' }).click();

/** How the companies and the test area ask: `src/web/app/flows.test.tsx`. */
test('Every way out of a running recording asks, and what was said is kept (decision 0278)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/content-selection');
  await page
    .getByRole('link', { name: /Sprachnachricht/ })
    .first()
    .click();
  await expect(page).toHaveURL('/voice-message');
  await page.getByRole('button', { name: 'Aufnahme starten' }).click();
  await expectRecorded(page, 2);
  await staysByEveryWay(page, RECORDING, {
    logo: () => logo(page),
    title: () => title(page),
    navigation: () => navigation(page),
    back: () => page.getByRole('main').getByRole('button', { name: 'Zurück' }).click(),
    foot: () => page.getByRole('link', { name: 'Impressum' }).click(),
    browser: () => page.goBack(),
  });
  await page.setViewportSize({ width: 360, height: 740 });
  await logo(page);
  await goAnyway(page, RECORDING);
  await expect(page.getByText('Aufnahme läuft')).toHaveCount(0);
  await page.goto('/voice-message');
  await expect(page.getByRole('button', { name: 'Damit weitermachen' })).toBeVisible();
});

/** Uploads wait until the test lets them go. */
async function holdUploads(page: Page): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  const hold = (route: Route) => gate.promise.then(() => route.continue());
  await page.route('**/storage/v1/**', (route) =>
    route.request().method() === 'GET' ? route.continue() : hold(route),
  );
  return gate.resolve;
}

const PDF = { name: 'blatt.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') };

test('A document and a picture that are being sent ask by every way: left, one arrives; staying goes on (§2.9, decision 0278)', async ({
  page,
  loginAs,
}) => {
  await loginAs('firma_a');
  let release = await holdUploads(page);
  await page.goto('/firma-a/content-selection');
  await page
    .getByRole('link', { name: /Dokument/ })
    .first()
    .click();
  await page.locator('input[type=file]').first().setInputFiles(PDF);
  await page.getByRole('button', { name: 'Hochladen' }).click();
  await expect(page.getByRole('progressbar').first()).toBeVisible();
  await staysByEveryWay(page, UPLOAD, {
    logo: () => logo(page),
    title: () => title(page),
    navigation: () => navigation(page),
    browser: () => page.goBack(),
  });
  await navigation(page);
  await goAnyway(page, UPLOAD);
  await expect(page).toHaveURL('/meine-beitraege');
  await expect(page.getByText('Deine Dateien werden gerade gesendet...')).toBeVisible();
  await expect(page.getByRole('button', { name: /^(Weitermachen|Verwerfen)/ })).toHaveCount(0);
  release();
  await expect(page.locator('li[data-variant]').filter({ hasText: 'erfolgreich' })).toBeVisible();
  await expect(page.getByText('Es fehlen noch: deine Kontaktdaten.')).toBeVisible();

  release = await holdUploads(page);
  await walkTo(page, '/firma-a/image-upload');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await page.getByRole('button', { name: /Textformular/ }).click();
  for (const name of ['Wer?', 'Was?', 'Wann?', 'Wo?', 'Warum?']) await page.getByLabel(name).fill('Ada');
  await page.getByRole('button', { name: 'Absenden' }).click();
  await expect(page.getByRole('progressbar').first()).toBeVisible();
  await staysByEveryWay(page, UPLOAD, { logo: () => logo(page), browser: () => page.goBack() });
  release();
  await expect(page).toHaveURL('/firma-a/thank-you');
});

test('A guest without a login is asked, too (§2.10)', async ({ page }) => {
  const release = await holdUploads(page);
  await page.goto('/upload');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await page
    .getByRole('button', { name: /hochladen$/i })
    .last()
    .click();
  await expect(page.getByRole('progressbar').first()).toBeVisible();
  await staysByEveryWay(page, UPLOAD, {
    title: () => title(page),
    foot: () => page.getByRole('link', { name: 'Datenschutz' }).click(),
  });
  release();
  await expect(page).toHaveURL('/thank-you');
});

test('Every way out of a running interview asks; left after all, it is offered again (§2.5, §2.9)', async ({
  page,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/interview-category');
  await page
    .getByRole('link', { name: /Hinter den Kulissen|Kulissen/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Ich habe die Hinweise gelesen' }).click();
  await startInterview(page);
  await write(page, 'Wir bauen Prüfstände.');
  await staysByEveryWay(page, INTERVIEW, {
    logo: () => logo(page),
    navigation: () => navigation(page),
    browser: () => page.goBack(),
  });
  await expect(page.getByRole('button', { name: 'Interview beenden' })).toBeVisible();
  await logo(page);
  await goAnyway(page, INTERVIEW);
  await page.goto('/interview/behind-scenes');
  await expect(page.getByRole('button', { name: 'Interview fortsetzen' })).toBeVisible();

  await walkTo(page, '/image-upload');
  await page.locator('input[type=file]').first().setInputFiles(PICTURE);
  await page.getByRole('button', { name: 'Weiter', exact: true }).click();
  await page.getByRole('button', { name: /Sprachinterview/ }).click();
  await startInterview(page);
  await write(page, 'Das ist unser Prüfstand.');
  await expect(said(page).filter({ hasText: 'Das ist unser Prüfstand.' })).toBeVisible();
  await staysByEveryWay(page, INTERVIEW, {
    logo: () => logo(page),
    back: () => page.getByRole('main').getByRole('button', { name: 'Zurück' }).click(),
  });
  await page.goBack();
  await goAnyway(page, INTERVIEW);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Wie möchtest du es beschreiben?');
  await page.goForward();
  await expect(page.getByRole('button', { name: 'Absenden' })).toBeEnabled();
});
