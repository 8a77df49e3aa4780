import type { Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { expect, login, test } from './application.ts';
import { expectToast } from './toasts.ts';

const SAVED = 'redirect_after_login';

/** Fills the form and sends it, whatever comes of it. */
async function enter(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-Mail').fill(email);
  await page.getByLabel('Passwort', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Anmelden' }).click();
}

test.describe('§2.2 login', () => {
  test('Says what was wrong, and what went well (§8)', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_b' });
    await page.goto('/login');
    await enter(page, user.email, 'falsches-passwort');
    await expectToast(page, 'Anmeldung fehlgeschlagen', 'Ungültige E-Mail oder Passwort.');
    await expect(page.getByLabel('E-Mail')).toHaveValue(user.email);
    const password = page.getByLabel('Passwort', { exact: true });
    await expect(password).toBeFocused();
    await expect(password).toHaveAccessibleDescription(/^Prüfe E-Mail-Adresse und Passwort/);
    await enter(page, user.email, user.password);
    await expectToast(page, 'Erfolgreich angemeldet');
    await expect(page).toHaveURL('/firma-b');
  });

  test('Both fields are required, the e-mail field has the e-mail type (§5)', async ({ page }) => {
    await page.goto('/login');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await expect(page.getByText('Bitte gib deine E-Mail-Adresse ein.')).toBeVisible();
    await expect(page.getByText('Bitte gib dein Passwort ein.')).toBeVisible();
    await expect(page.getByLabel('E-Mail')).toBeFocused();
    await expect(page.getByLabel('E-Mail')).toHaveAttribute('type', 'email');
  });

  test('A refusal carries the backend message: Anmeldefehler (§8)', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_a' });
    await server.service().auth.admin.updateUserById(user.id, { ban_duration: '24h' });
    await page.goto('/login');
    await enter(page, user.email, user.password);
    await expectToast(page, 'Anmeldefehler', 'User is banned');
  });

  test('A server that fails: Unerwarteter Fehler (§8)', async ({ page }) => {
    await page.route('**/auth/v1/token**', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.goto('/login');
    await enter(page, 'a@beispiel.test', 'egal');
    await expectToast(
      page,
      'Unerwarteter Fehler',
      'Ein unerwarteter Fehler ist aufgetreten. Bitte versuchen Sie es erneut.',
    );
  });

  test('No connection: Fehler, and the second try works (§8)', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_a' });
    await page.goto('/login');
    await page.route('**/auth/v1/token**', (route) => route.abort(), { times: 1 });
    await enter(page, user.email, user.password);
    await expectToast(page, 'Fehler', 'Ein Fehler ist aufgetreten. Bitte versuchen Sie es erneut.');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await expect(page).toHaveURL('/firma-a');
  });

  test('a second submit while one is in progress is ignored', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_a' });
    let calls = 0;
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/auth/v1/token**', async (route) => {
      calls += 1;
      await held;
      await route.continue();
    });
    await page.goto('/login');
    await enter(page, user.email, user.password);
    await expect(page.getByRole('button', { name: 'Anmeldung läuft...' })).toBeVisible();
    await page.getByLabel('Passwort', { exact: true }).press('Enter');
    await page.getByLabel('E-Mail').press('Enter');
    letGo();
    await expect(page).toHaveURL('/firma-a');
    expect(calls).toBe(1);
  });

  test('waits for the role to load, and says so', async ({ page, server }) => {
    const user = await createUser(server, { role: 'vdi_admin' });
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/rest/v1/user_roles**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/login');
    await enter(page, user.email, user.password);
    await expect(page.getByText('Lade Benutzerdaten...')).toBeVisible();
    await expect(page).toHaveURL('/login');
    letGo();
    await expect(page).toHaveURL('/content-selection');
  });

  test('Rule 1 says Initialisiere... until the session is known (§2.1)', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_a' });
    await login(page, user);
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/config.json', async (route) => {
      await held;
      await route.continue();
    });
    await page.reload();
    await expect(page.getByText('Initialisiere...')).toBeVisible();
    letGo();
    await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
  });
});

test.describe('D7 the saved path', () => {
  test('is where one goes after the login, once, with its query', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_a' });
    await page.goto('/firma-a/voice-message?von=mail');
    await expect(page).toHaveURL('/login');
    await enter(page, user.email, user.password);
    await expect(page).toHaveURL('/firma-a/voice-message?von=mail');
    expect(await page.evaluate((key) => localStorage.getItem(key), SAVED)).toBeNull();
  });

  test('a generic one leads on to the own twin', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_b' });
    await page.goto('/voice-message');
    await enter(page, user.email, user.password);
    await expect(page).toHaveURL('/firma-b/voice-message');
  });

  const NOT_OWN = [
    ['a foreign origin without a scheme', '//boese.example/firma-a'],
    ['a backslash', '/\\boese.example'],
    ['a tab between the slashes', '/\t/boese.example'],
    ['an encoded slash', '/%2F%2Fboese.example'],
    ['a foreign address', 'https://boese.example/firma-a'],
    ['a script', 'javascript:document.title="boese"'],
    ['data', 'data:text/html,boese'],
    ['a place of another role', '/admin'],
    ['an unknown place', '/gibt-es-nicht'],
    ['the login itself', '/login'],
  ] as const;

  test('is dropped where it is foreign, of another role or unknown, and home it is', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_a' });
    await page.goto('/login');
    for (const [name, path] of NOT_OWN) {
      await page.evaluate(([key, value]) => localStorage.setItem(key, value), [SAVED, path] as const);
      await enter(page, user.email, user.password);
      await expect(page, name).toHaveURL('/firma-a');
      await expect(page.getByRole('heading', { name: /^Willkommen, / }), name).toBeVisible();
      expect(await page.evaluate((key) => localStorage.getItem(key), SAVED), name).toBeNull();
      await page.getByRole('button', { name: 'Abmelden' }).click();
      await expect(page).toHaveURL('/login');
    }
  });
});

test.describe('§4 logout', () => {
  test('clears both storages, says so and stays away from the path left', async ({ page, loginAs }) => {
    await loginAs('firma_a');
    await page.goto('/firma-a/transcript-edit');
    await page.evaluate(() => {
      sessionStorage.setItem('firmaALatestTranscript', 'geheim');
      localStorage.setItem('firmaAInterviewTranscript', 'geheim');
      localStorage.setItem('auth_token', 'geheim');
    });
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await expect(page).toHaveURL('/login');
    await expectToast(page, 'Abgemeldet', 'Sie wurden erfolgreich abgemeldet.');
    const left = await page.evaluate(() => ({
      session: Object.keys(sessionStorage),
      local: Object.keys(localStorage),
    }));
    expect(left.session).toEqual([]);
    expect(left.local.filter((key) => key !== 'app_config')).toEqual([]);
    await page.goBack();
    await expect(page).toHaveURL('/login');
  });

  test('Works where the backend refuses, forbids, knows nothing of it, fails or does not answer (§7)', async ({
    page,
    loginAs,
  }) => {
    for (const status of [401, 403, 404, 500, 0]) {
      await loginAs('firma_a');
      await page.route('**/auth/v1/logout**', (route) =>
        status === 0 ? route.abort() : route.fulfill({ status, body: '{}' }),
      );
      const asked = page.waitForRequest('**/auth/v1/logout**');
      await page.getByRole('button', { name: 'Abmelden' }).click();
      await asked;
      await expect(page, String(status)).toHaveURL('/login');
      await expectToast(page, 'Abgemeldet');
      await page.goto('/firma-a');
      await expect(page, String(status)).toHaveURL('/login');
      await page.unroute('**/auth/v1/logout**');
    }
  });

  test('ends the session at the backend: a refresh token kept from before is worth nothing', async ({
    page,
    server,
    loginAs,
  }) => {
    const user = await loginAs('firma_a');
    await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
    const done = page.waitForResponse((response) => response.url().includes('/auth/v1/logout'));
    await page.getByRole('button', { name: 'Abmelden' }).click();
    expect((await done).status()).toBe(204);
    const sessions = await asOwner(server.databaseUrl, (client) =>
      client.query('select id from auth.sessions where user_id = $1', [user.id]),
    );
    // createUser signed in once on its own account.
    expect(sessions.rows).toHaveLength(1);
  });

  test('reaches the other tab', async ({ page, context, loginAs }) => {
    await loginAs('firma_a');
    const other = await context.newPage();
    await other.goto('/firma-a/voice-message');
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Sprachnachricht');
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await expect(page).toHaveURL('/login');
    await expect(other).toHaveURL('/login');
  });

  test('two tabs: logging in in one opens the other', async ({ page, context, server }) => {
    const user = await createUser(server, { role: 'firma_b' });
    await page.goto('/login');
    const other = await context.newPage();
    await other.goto('/login');
    await expect(other.getByRole('heading', { level: 1 })).toHaveText('Anmelden');
    await enter(page, user.email, user.password);
    await expect(page).toHaveURL('/firma-b');
    await other.bringToFront();
    await expect(other).toHaveURL('/firma-b');
  });
});
