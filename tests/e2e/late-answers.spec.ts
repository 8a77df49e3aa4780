import type { Page, Request } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import type { TestServer } from '#tests/support/boot.ts';
import { linkTo } from './admin.ts';
import { expect, submitLogin, test } from './application.ts';
import { codeField, logout, openAccount, setUpApp, shownBy } from './account.ts';
import { expectToast } from './toasts.ts';

type HeldAnswer = Readonly<{ carriedOut: Promise<Request>; release: () => Promise<void> }>;

/** Holds the answer to the next request with this method until `release`; the server has carried it out by then. */
async function holdAnswer(page: Page, url: string, method: string): Promise<HeldAnswer> {
  const gate = Promise.withResolvers<void>();
  const carriedOut = Promise.withResolvers<Request>();
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    const response = await route.fetch();
    expect(response.ok()).toBe(true);
    carriedOut.resolve(route.request());
    await gate.promise;
    await route.fulfill({ response });
  });
  const release = async (): Promise<void> => {
    gate.resolve();
    await (await (await carriedOut.promise).response())?.finished();
  };
  return { carriedOut: carriedOut.promise, release };
}

const markPage = (page: Page) => page.evaluate(() => Reflect.set(globalThis, 'samePage', true));
const isSamePage = (page: Page) => page.evaluate(() => Reflect.has(globalThis, 'samePage'));

/** Walks on within the page: whatever an answer led to has happened by then. */
async function openImprint(page: Page): Promise<void> {
  // By the keyboard: the foot of a page moves down when its screen comes, and a pointer then releases beside the link.
  await page.getByRole('link', { name: 'Impressum' }).press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Impressum');
}

/** With the session of a mail's link, which a reload leaves; the link alone would lead back from everywhere. */
async function fillNewPassword(page: Page, server: TestServer): Promise<void> {
  const { email } = await createUser(server, { role: 'firma_b' });
  await server.client().auth.resetPasswordForEmail(email, { redirectTo: `${server.url}/passwort-neu` });
  await page.goto(await linkTo(server, email));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Neues Passwort setzen');
  await page.reload();
  await page.getByLabel('Neues Passwort', { exact: true }).fill('ganz-neues-passwort-7');
  await page.getByLabel('Neues Passwort wiederholen').fill('ganz-neues-passwort-7');
}

test.describe('on an iPad', () => {
  test.use({
    userAgent: 'Mozilla/5.0 (iPad; CPU OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1',
  });

  test('An administrator’s logout that is answered after the next login reloads nothing (decision 0358)', async ({
    page,
    server,
    loginAs,
  }) => {
    await loginAs('admin');
    const answer = await holdAnswer(page, '**/auth/v1/logout*', 'POST');
    await logout(page);
    await answer.carriedOut;
    await submitLogin(page, await createUser(server, { role: 'firma_b' }));
    await expect(page).toHaveURL('/firma-b');
    // A screen takes the focus when it comes, also from a link that a key is about to press.
    await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
    await markPage(page);
    await answer.release();
    await openImprint(page);
    expect(await isSamePage(page)).toBe(true);
  });
});

test('A new password that is saved after its screen was left leads nowhere (decision 0358)', async ({
  page,
  server,
}) => {
  await fillNewPassword(page, server);
  const answer = await holdAnswer(page, '**/auth/v1/user*', 'PUT');
  await page.getByRole('button', { name: 'Passwort speichern' }).click();
  await answer.carriedOut;
  await openImprint(page);
  await answer.release();
  await expectToast(page, 'Passwort gespeichert');
  await expect(page).toHaveURL('/impressum');
});

test('A second factor that is answered after the logout logs nobody in again (decision 0358)', async ({
  page,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await openAccount(page);
  const secret = await setUpApp(page);
  await logout(page);
  await expect(page).toHaveURL('/login');
  await submitLogin(page, user);
  await expect(page).toHaveURL('/anmeldung-bestaetigen');
  const answer = await holdAnswer(page, '**/auth/v1/factors/*/verify', 'POST');
  await codeField(page).fill(shownBy(secret, 1));
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  await answer.carriedOut;
  await logout(page);
  await expect(page).toHaveURL('/login');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  const roles: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/rest/v1/user_roles')) roles.push(request.url());
  });
  await answer.release();
  await openImprint(page);
  expect(roles, 'the role of the session in the answer is not asked for').toEqual([]);
  await page.goto('/meine-beitraege');
  await expect(page).toHaveURL('/login');
});
