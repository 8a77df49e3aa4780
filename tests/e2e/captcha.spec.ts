import type { Page } from '@playwright/test';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { startCaptchaService, type CaptchaService } from '#tests/support/captcha-service.ts';
import { projectFolder } from '#tests/support/project-folder.ts';
import { expect, test } from './application.ts';
import { picture } from './pictures.ts';
import { expectToast } from './toasts.ts';
import { expectAccessible } from './findings.ts';

test.describe.configure({ mode: 'serial' });

let service: CaptchaService;
let server: TestServer;
let removeFolder: () => Promise<void>;
test.beforeAll(async () => {
  service = await startCaptchaService();
  const project = await projectFolder(`
[auth.captcha]
enabled = true
provider = "turnstile"
secret = "geheim"
site_key = "oeffentlich"
url = "${service.url}"
script_url = "${service.widgetUrl}"
[auth.saml]
enabled = true
`);
  removeFolder = project.remove;
  server = await bootServer({ SUPABASE_DIR: project.folder });
});
test.afterAll(async () => {
  await server.stop();
  await service.stop();
  await removeFolder();
});

const frame = (page: Page) => page.frameLocator('iframe[title="Sicherheitsabfrage"]');
const solve = (page: Page) => frame(page).getByRole('button', { name: 'Ich bin ein Mensch' }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

async function fill(page: Page, email: string, password?: string): Promise<void> {
  await page.getByLabel('E-Mail').fill(email);
  if (password !== undefined) await page.getByLabel('Passwort', { exact: true }).fill(password);
}

/** An account made past the captcha, as an administrator's are. */
async function person(): Promise<{ email: string; password: string }> {
  const email = `${crypto.randomUUID()}@beispiel.test`;
  const password = 'ein-gutes-passwort-1';
  const { error } = await server.service().auth.admin.createUser({ email, password, email_confirm: true });
  if (error !== null) throw error;
  return { email, password };
}

test('captcha: only the widget’s page is open to its host; the login takes a token once and asks again', async ({
  page,
}) => {
  const { email, password } = await person();
  const host = new URL(service.widgetUrl).origin;
  const seen: string[] = [];
  page.on('request', (request) => seen.push(request.url()));
  const getPolicy = async (path: string) =>
    (await fetch(`${server.url}${path}`)).headers.get('content-security-policy');
  expect(await getPolicy('/login')).not.toContain(host);
  expect(await getPolicy('/login')).toContain("require-trusted-types-for 'script'");
  expect(await getPolicy('/captcha.html')).toContain(`script-src 'self' ${host};`);
  expect(await getPolicy('/captcha.html')).toContain("frame-ancestors 'self'");
  await page.goto(`${server.url}/impressum`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Impressum');
  expect(seen.filter((url) => url.startsWith(host))).toEqual([]);

  await page.getByRole('link', { name: 'Anmelden' }).click();
  await fill(page, email, 'falsch-falsch-falsch');
  await expect(frame(page).getByRole('button', { name: 'Ich bin ein Mensch' })).toBeVisible();
  const asked = service.asked.length;
  await press(page, 'Anmelden');
  await expect(page.getByText('Bitte beantworte zuerst die Sicherheitsabfrage.')).toBeVisible();
  await expect(page.locator('iframe[title="Sicherheitsabfrage"]')).toBeFocused();
  expect(service.asked.length, 'nothing was sent').toBe(asked);
  await expectAccessible(page);
  await page.setViewportSize({ width: 320, height: 740 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await solve(page);
  await press(page, 'Anmelden');
  await expectToast(page, 'Anmeldung fehlgeschlagen');
  await fill(page, email, password);
  await press(page, 'Anmelden');
  await expect(page.getByText('Bitte beantworte zuerst die Sicherheitsabfrage.'), 'the token is used up').toBeVisible();
  await page.getByRole('button', { name: 'Passwort anzeigen' }).press('Tab');
  await page.keyboard.press('Enter');
  await expect(frame(page).getByRole('button', { name: 'Bestätigt' }), 'solved with the keyboard').toBeVisible();
  await press(page, 'Anmelden');
  await expect(page).toHaveURL(`${server.url}/no-role`);
  const tokens = service.asked.slice(asked).map(({ response }) => response);
  expect(new Set(tokens).size).toBe(2);
});

test('captcha: run out, broken, blocked: each says so and goes on', async ({ page }) => {
  const { email, password } = await person();
  let blocked = true;
  await page.route(service.widgetUrl, (route) => (blocked ? route.abort() : route.continue()));
  await page.goto(`${server.url}/login`);
  await expect(page.getByText('Die Sicherheitsabfrage lädt nicht')).toBeVisible();
  await expectAccessible(page);
  await picture(page, 'login-captcha-failed');
  blocked = false;
  await press(page, 'Noch einmal laden');
  await solve(page);
  await frame(page).getByRole('button', { name: 'Ablaufen' }).click();
  await expect(
    page.getByText('Die Sicherheitsabfrage ist abgelaufen. Bitte beantworte sie noch einmal.'),
  ).toBeVisible();
  await frame(page).getByRole('button', { name: 'Zerbrechen' }).click();
  await press(page, 'Noch einmal laden');
  await solve(page);
  await fill(page, email, password);
  service.answerWith({ body: JSON.stringify({ success: false, 'error-codes': ['timeout-or-duplicate'] }) });
  await press(page, 'Anmelden');
  await expectToast(page, 'Anmeldefehler', 'Die Sicherheitsabfrage wurde nicht angenommen.');
  service.answerWith(undefined);
  await solve(page);
  await press(page, 'Anmelden');
  await expect(page).toHaveURL(`${server.url}/no-role`);
});

test('captcha: forgotten password, code by mail and company login ask for it, the mail code again for a new one', async ({
  page,
}) => {
  const { email } = await person();
  await page.goto(`${server.url}/passwort-vergessen`);
  await fill(page, email);
  await press(page, 'Link anfordern');
  await expect(page.getByText('Bitte beantworte zuerst die Sicherheitsabfrage.')).toBeVisible();
  await solve(page);
  await press(page, 'Link anfordern');
  await expect(page.getByText('Sieh in dein Postfach')).toBeVisible();

  await page.goto(`${server.url}/anmeldung-code`);
  await fill(page, 'niemand@beispiel.test');
  await solve(page);
  await press(page, 'Code anfordern');
  await expect(page.getByText('Sieh in dein Postfach')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  await press(page, 'Neuen Code anfordern');
  await expect(page.getByLabel('E-Mail')).toHaveValue('niemand@beispiel.test');
  await solve(page);
  await press(page, 'Code anfordern');
  // One mail a minute for a mailbox, whether it has an account or not.
  await expect(page.getByText('Das war zu oft hintereinander. Bitte warte einen Moment.')).toBeVisible();

  await page.goto(`${server.url}/anmeldung-firma`);
  await fill(page, 'anna@unbekannt.test');
  await solve(page);
  await press(page, 'Weiter');
  await expect(page.getByText('Für diese Adresse ist keine Anmeldung mit Firmenkonto eingerichtet.')).toBeVisible();
  await press(page, 'Weiter');
  await expect(page.getByText('Bitte beantworte zuerst die Sicherheitsabfrage.'), 'the token is used up').toBeVisible();
});
