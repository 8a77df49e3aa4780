import { randomUUID } from 'node:crypto';
import { createUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { linkTo } from './admin.ts';
import { expect, login, test } from './application.ts';
import { expectToast } from './toasts.ts';

async function setRole(server: TestServer, userId: string, role: string | undefined): Promise<void> {
  await asOwner(server.databaseUrl, async (client) => {
    await client.query('delete from public.user_roles where user_id = $1', [userId]);
    if (role !== undefined)
      await client.query('insert into public.user_roles (user_id, role) values ($1, $2)', [userId, role]);
  });
}

test('A page has one client for its session, however often its first screen is begun', async ({ page, loginAs }) => {
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (message.text().includes('GoTrueClient')) warnings.push(message.text());
  });
  await loginAs('admin', '/admin/benutzer');
  for (const path of ['/admin/benutzer', '/admin/eingang', '/admin']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // The last to need the client.
    await expect(
      page
        .getByRole('navigation')
        .getByRole('link', { name: /Eingang/ })
        .first(),
    ).toBeVisible();
  }
  expect(warnings).toEqual([]);
});

test.describe('§2.13 no role', () => {
  test('says whose account it is; a refresh finds the role once it is given', async ({ page, server }) => {
    const user = await createUser(server);
    await login(page, user);
    await expect(page).toHaveURL('/no-role');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Keine Berechtigung');
    await expect(
      page.getByText('Ihrem Account wurde noch keine Rolle zugewiesen. Bitte kontaktieren Sie den Administrator.'),
    ).toBeVisible();
    await expect(page.getByText(user.email)).toBeVisible();
    await page.getByRole('button', { name: 'Berechtigung aktualisieren' }).click();
    await expect(page.getByText('Es ist noch keine Rolle eingetragen.')).toBeVisible();

    await setRole(server, user.id, 'firma_a');
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/rest/v1/user_roles**', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Berechtigung aktualisieren' }).click();
    await expect(page.getByRole('button', { name: 'Lade...' })).toBeVisible();
    letGo();
    await expect(page).toHaveURL('/firma-a');
  });

  test('logs out', async ({ page, server }) => {
    await login(page, await createUser(server));
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await expect(page).toHaveURL('/login');
  });

  test('Two role rows, or a role nobody knows, are no role (§5)', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_a' });
    const answers = [
      { status: 406, body: JSON.stringify({ code: 'PGRST116', message: 'multiple (or no) rows returned' }) },
      { status: 200, body: JSON.stringify({ role: 'kaiser' }) },
    ];
    for (const answer of answers) {
      await page.route('**/rest/v1/user_roles**', (route) =>
        route.fulfill({ ...answer, contentType: 'application/json' }),
      );
      await login(page, user);
      await expect(page).toHaveURL('/no-role');
      await page.unroute('**/rest/v1/user_roles**');
      await page.getByRole('button', { name: 'Abmelden' }).click();
      await expect(page).toHaveURL('/login');
    }
  });
});

test('a role changed while logged in counts from the next reload on', async ({ page, server, loginAs }) => {
  const user = await loginAs('firma_a');
  await expect(page).toHaveURL('/firma-a');
  await setRole(server, user.id, 'firma_b');
  await page.reload();
  await expect(page).toHaveURL('/firma-b');
  await setRole(server, user.id, undefined);
  await page.reload();
  await expect(page).toHaveURL('/no-role');
});

test('a session that was ended elsewhere leads to the login at the next reload', async ({ page, server, loginAs }) => {
  const user = await loginAs('firma_a');
  const sql = 'delete from auth.sessions where user_id = $1';
  await asOwner(server.databaseUrl, (client) => client.query(sql, [user.id]));
  await page.reload();
  await expect(page).toHaveURL('/login');
});

test.describe('a reload without network', () => {
  test('still opens the area with the last known role', async ({ page, loginAs }) => {
    await loginAs('firma_a');
    await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
    await page.route(/\/(rest|auth)\/v1\/|config\.json/, (route) => route.abort());
    await page.goto('/firma-a/content-selection');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Was möchtest du einreichen?');
    await page.goto('/admin');
    await expect(page).toHaveURL('/firma-a');
  });

  test('says so where no role is known, and goes on once the connection is back', async ({ page, loginAs }) => {
    await loginAs('firma_a');
    await page.evaluate(() => {
      for (const key of Object.keys(localStorage)) if (key.startsWith('last_role:')) localStorage.removeItem(key);
    });
    await page.route('**/rest/v1/**', (route) => route.abort());
    await page.reload();
    await expect(page.getByText('Deine Benutzerdaten sind gerade nicht erreichbar')).toBeVisible();
    await page.unroute('**/rest/v1/**');
    await page.getByRole('button', { name: 'Erneut versuchen' }).click();
    await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
  });

  test('without any memory of the installation: the server is not reachable', async ({ page }) => {
    await page.route('**/config.json', (route) => route.abort());
    await page.goto('/login');
    await expect(page.getByText('Der Server ist gerade nicht erreichbar')).toBeVisible();
    await page.unroute('**/config.json');
    await page.getByRole('button', { name: 'Erneut versuchen' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Anmelden');
  });
});

test.describe('§4 inactivity', () => {
  test('30 minutes without a sign of life: logged out, checked every 60 s', async ({ page, loginAs }) => {
    await page.clock.install();
    await loginAs('firma_a');
    await expect(page.getByRole('heading', { name: /^Willkommen, / })).toBeVisible();
    await page.clock.runFor('29:00');
    await expect(page).toHaveURL('/firma-a');
    await page.mouse.move(20, 20);
    await page.mouse.move(40, 40);
    await page.clock.runFor('29:00');
    await expect(page).toHaveURL('/firma-a');
    // In steps that leave most of the 5 s that a message stands.
    const goOn = async (): Promise<string> => {
      await page.clock.runFor('00:02');
      return new URL(page.url()).pathname;
    };
    await expect.poll(goOn, { intervals: [100], timeout: 90_000 }).toBe('/login');
    await expectToast(page, 'Abgemeldet');
  });

  test('Nobody is logged out in the middle of an upload (D17)', async ({ page, loginAs }) => {
    await page.clock.install();
    await loginAs('testnormec');
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    await page.route('**/storage/v1/object/**', async (route) => {
      await held;
      await route.continue();
    });
    await page.evaluate(() =>
      history.pushState({ transcript: 'Du: Hallo', interviewId: '1' }, '', '/testnormec/transcript-edit'),
    );
    await page.getByRole('button', { name: 'Weiter zum Bild-Upload' }).click();
    await expect(page.getByRole('button', { name: 'Wird gespeichert...' })).toBeVisible();
    // An upload that does not move is given up after three times 60 s; the check comes every minute.
    await page.evaluate(() => localStorage.setItem('last_activity', String(Date.now() - 45 * 60_000)));
    await page.clock.runFor('02:30');
    await expect(page.getByRole('button', { name: 'Wird gespeichert...' })).toBeVisible();
    await expect(page).toHaveURL('/testnormec/transcript-edit');
    letGo();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });
});

test.describe('D15 a forgotten password', () => {
  test('link by mail, new password, logged in with it; link and old password are over', async ({ page, server }) => {
    const user = await createUser(server, { role: 'firma_b' });
    await page.goto('/login');
    await page.getByRole('link', { name: 'Passwort vergessen?' }).click();
    await page.getByLabel('E-Mail').fill(user.email);
    await page.getByRole('button', { name: 'Link anfordern' }).click();
    await expect(page.getByText('Sieh in dein Postfach')).toBeVisible();

    const link = await linkTo(server, user.email);
    await page.goto(link);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Neues Passwort setzen');
    const fresh = 'ganz-neues-passwort-7';
    await page.getByLabel('Neues Passwort', { exact: true }).fill(fresh);
    await page.getByLabel('Neues Passwort wiederholen').fill(`${fresh}x`);
    await page.getByRole('button', { name: 'Passwort speichern' }).click();
    await expect(page.getByText('Die beiden Eingaben stimmen nicht überein.')).toBeVisible();
    await page.getByLabel('Neues Passwort wiederholen').fill(fresh);
    await page.getByRole('button', { name: 'Passwort speichern' }).click();
    await expectToast(page, 'Passwort gespeichert');
    await expect(page).toHaveURL('/firma-b');
    await page.getByRole('button', { name: 'Abmelden' }).click();
    await expect(page).toHaveURL('/login');
    await page.goto(link);
    await expect(page.getByText('Dieser Link gilt nicht mehr')).toBeVisible();
    await page.goto('/login');
    await page.getByLabel('E-Mail').fill(user.email);
    await page.getByLabel('Passwort', { exact: true }).fill(user.password);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await expect(page.getByText('Ungültige E-Mail oder Passwort.', { exact: true })).toBeVisible();
    await page.getByLabel('Passwort', { exact: true }).fill(fresh);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await expect(page).toHaveURL('/firma-b');
  });

  test('says the same where there is no account', async ({ page }) => {
    await page.goto('/passwort-vergessen');
    await page.getByLabel('E-Mail').fill(`niemand-${randomUUID()}@beispiel.test`);
    await page.getByRole('button', { name: 'Link anfordern' }).click();
    await expect(page.getByText('Sieh in dein Postfach')).toBeVisible();
  });

  test('Without a link, a user who is logged in is told where the password can be changed', async ({
    page,
    loginAs,
  }) => {
    await loginAs('firma_b', '/passwort-neu');
    await page.getByLabel('Neues Passwort', { exact: true }).fill('ganz-neues-passwort-7');
    await page.getByLabel('Neues Passwort wiederholen').fill('ganz-neues-passwort-7');
    await page.getByRole('button', { name: 'Passwort speichern' }).click();
    await expect(page.getByRole('alert')).toContainText('Ändere es in deinem Konto.');
  });

  test('without a valid link there is nothing to set', async ({ page }) => {
    await page.goto('/passwort-neu');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Dieser Link gilt nicht mehr');
    await page.getByRole('link', { name: 'Neuen Link anfordern' }).click();
    await expect(page).toHaveURL('/passwort-vergessen');
  });
});
