import { createUser } from '#tests/support/accounts.ts';
import { asOwner } from '#tests/support/callers.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { linkTo } from './admin.ts';
import { expect, test } from './application.ts';
import { expectToast } from './toasts.ts';

async function setRole(server: TestServer, userId: string, role: string | undefined): Promise<void> {
  await asOwner(server.databaseUrl, async (client) => {
    await client.query('delete from public.user_roles where user_id = $1', [userId]);
    if (role !== undefined)
      await client.query('insert into public.user_roles (user_id, role) values ($1, $2)', [userId, role]);
  });
}

test('A role that is changed, taken or given, and a session that was ended elsewhere, count from the next look on (§2.13, §4)', async ({
  page,
  server,
  loginAs,
}) => {
  const user = await loginAs('firma_a');
  await expect(page).toHaveURL('/firma-a');
  await setRole(server, user.id, 'firma_b');
  await page.reload();
  await expect(page).toHaveURL('/firma-b');
  await setRole(server, user.id, undefined);
  await page.reload();
  await expect(page).toHaveURL('/no-role');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Keine Berechtigung');
  await expect(page.getByText(user.email)).toBeVisible();
  await page.getByRole('button', { name: 'Berechtigung aktualisieren' }).click();
  await expect(page.getByText('Es ist noch keine Rolle eingetragen.')).toBeVisible();
  await setRole(server, user.id, 'firma_a');
  await page.getByRole('button', { name: 'Berechtigung aktualisieren' }).click();
  await expect(page).toHaveURL('/firma-a');
  await expect(page.getByRole('button', { name: 'Abmelden' }), 'logout is in sight').toBeInViewport();
  const sql = 'delete from auth.sessions where user_id = $1';
  await asOwner(server.databaseUrl, (client) => client.query(sql, [user.id]));
  await page.reload();
  await expect(page).toHaveURL('/login');
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
});
