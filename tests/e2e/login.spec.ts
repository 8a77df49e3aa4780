import { createUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import { expect, submitLogin, test } from './application.ts';
import { expectToast } from './toasts.ts';

test('Login and logout say what was wrong and what went well; the logout clears both storages and ends the session (§4, §8)', async ({
  page,
  server,
}) => {
  const user = await createUser(server, { role: 'firma_a' });
  await page.goto('/login');
  await submitLogin(page, { ...user, password: 'falsches-passwort' });
  await expectToast(page, 'Anmeldung fehlgeschlagen', 'Ungültige E-Mail oder Passwort.');
  await expect(page.getByLabel('E-Mail')).toHaveValue(user.email);
  const password = page.getByLabel('Passwort', { exact: true });
  await expect(password).toBeFocused();
  await expect(password).toHaveAccessibleDescription(/^Prüfe E-Mail-Adresse und Passwort/);
  await submitLogin(page, user);
  await expectToast(page, 'Erfolgreich angemeldet');
  await expect(page).toHaveURL('/firma-a');
  await page.getByRole('link', { name: 'Neuer Beitrag' }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Was möchtest du einreichen?');

  await page.evaluate(() => {
    sessionStorage.setItem('firmaALatestTranscript', 'geheim');
    localStorage.setItem('firmaAInterviewTranscript', 'geheim');
    localStorage.setItem('auth_token', 'geheim');
  });
  const done = page.waitForResponse((response) => response.url().includes('/auth/v1/logout'));
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await expectToast(page, 'Abgemeldet', 'Sie wurden erfolgreich abgemeldet.');
  await expect(page).toHaveURL('/login');
  const left = await page.evaluate(() => ({
    session: Object.keys(sessionStorage),
    local: Object.keys(localStorage),
  }));
  expect(left.session).toEqual([]);
  expect(left.local.filter((key) => key !== 'app_config')).toEqual([]);
  expect((await done).status()).toBe(204);
  const sessions = await asOwner(server.databaseUrl, (client) =>
    client.query('select id from auth.sessions where user_id = $1', [user.id]),
  );
  expect(sessions.rows, 'createUser signed in once on its own account').toHaveLength(1);
  await page.goBack();
  await expect(page, 'away from the path left').toHaveURL('/login');
});

test('Two tabs: a login in one opens the other, a logout reaches it (§4)', async ({ page, context, server }) => {
  const user = await createUser(server, { role: 'firma_b' });
  await page.goto('/login');
  const other = await context.newPage();
  await other.goto('/login');
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('Anmelden');
  await page.bringToFront();
  await submitLogin(page, user);
  await expect(page).toHaveURL('/firma-b');
  await other.bringToFront();
  await expect(other).toHaveURL('/firma-b');
  await page.bringToFront();
  await page.getByRole('button', { name: 'Abmelden' }).click();
  await expect(page).toHaveURL('/login');
  await expect(other).toHaveURL('/login');
});
