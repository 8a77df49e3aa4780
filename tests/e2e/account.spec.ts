import { randomUUID } from 'node:crypto';
import type { Browser } from '@playwright/test';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { codeField, logout, openAccount, setUpApp, shownBy } from './account.ts';
import { linkTo } from './admin.ts';
import { expect, login, test } from './application.ts';
import { toDesk } from './desk.ts';
import { picture } from './pictures.ts';
import { expectNotice, expectToast } from './toasts.ts';
import { expectAccessible } from './findings.ts';

test('Konto: what cannot be looked up says so and comes at the next try; a new password is what counts from then on', async ({
  page,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await expect(page.getByRole('heading', { name: /^Hallo / })).toBeVisible();
  for (const call of ['**/auth/v1/user', '**/rpc/my_sessions']) await page.route(call, (route) => route.abort());
  await openAccount(page);
  await expect(page.getByText('Das konnte gerade nicht geladen werden.')).toHaveCount(2);
  await expect(page.getByText('Noch keiner eingerichtet.'), 'nobody knows').toHaveCount(0);
  await expectAccessible(page);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Noch einmal laden' }).first().click();
  await expect(page.getByText('Noch keiner eingerichtet.')).toBeVisible();
  await page.getByRole('button', { name: 'Noch einmal laden' }).click();
  await expect(page.getByText('dieses Gerät')).toBeVisible();
  const fresh = 'ein-neues-passwort-9';
  await page.getByLabel('Neues Passwort', { exact: true }).fill('kurz');
  await page.getByRole('button', { name: 'Passwort ändern' }).click();
  await expect(page.getByText('Bitte wähle mindestens 10 Zeichen.')).toBeVisible();
  await page.getByLabel('Neues Passwort', { exact: true }).fill(fresh);
  await page.getByLabel('Neues Passwort wiederholen').fill(`${fresh}x`);
  await page.getByRole('button', { name: 'Passwort ändern' }).click();
  await expect(page.getByText('Die beiden Eingaben stimmen nicht überein.')).toBeVisible();
  await page.getByLabel('Neues Passwort wiederholen').fill(fresh);
  await page.getByLabel('Jetziges Passwort').fill(user.password);
  await page.getByRole('button', { name: 'Passwort ändern' }).click();
  await expectNotice(page, 'Passwort geändert');
  await logout(page);
  await login(page, { email: user.email, password: fresh });
  await expect(page).toHaveURL('/content-selection');
});

test('Konto: an authenticator app is set up, asked for at the login, and removed, also by an administrator', async ({
  page,
  browser,
  server,
  loginAs,
}) => {
  const user = await loginAs('vdi_admin');
  await openAccount(page);
  await expect(page.getByText('Richte zwei ein, etwa App und Passkey.')).toBeVisible();
  const secret = await setUpApp(page);
  await expect(page.getByRole('button', { name: 'Authentifizierungs-App entfernen' })).toBeVisible();
  await logout(page);

  await page.goto('/interview-category');
  await expect(page, 'the path is remembered now').toHaveURL('/login');
  await login(page, user);
  await expect(page).toHaveURL('/anmeldung-bestaetigen');
  await page.goto('/voice-message');
  await expect(page, 'no way around it, which is remembered').toHaveURL('/anmeldung-bestaetigen');
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  await expect(page.getByText('Bitte gib die sechs Ziffern ein.')).toBeVisible();
  await codeField(page).fill('000000');
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  await expect(page.getByText('Dieser Code stimmt nicht oder ist abgelaufen.')).toBeVisible();
  await codeField(page).fill(shownBy(secret, 1));
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  // First, as it goes by itself after 5 s.
  await expectToast(page, 'Erfolgreich angemeldet');
  await expect(page).toHaveURL('/voice-message');

  await openAccount(page);
  const tablet = await setUpApp(page);
  await logout(page);
  await login(page, user);
  await page.getByLabel('App', { exact: true }).selectOption('Authentifizierungs-App 2');
  await codeField(page).fill(shownBy(tablet, 1));
  await page.getByRole('button', { name: 'Bestätigen' }).click();
  await expect(page).toHaveURL('/content-selection');

  await openAccount(page);
  for (const name of ['Authentifizierungs-App', 'Authentifizierungs-App 2']) {
    const remove = page.getByRole('button', { name: `${name} entfernen`, exact: true });
    await remove.click();
    await page.getByRole('button', { name: 'Entfernen', exact: true }).click();
    await expect(remove).toHaveCount(0);
  }
  await expectNotice(page, 'Zweiter Faktor entfernt');
  await expect(page.getByText('Noch keiner eingerichtet.')).toBeVisible();

  await setUpApp(page);
  await logout(page);
  await login(page, user);
  await expect(page.getByText('Ein Administrator kann deinen zweiten Faktor entfernen.')).toBeVisible();
  await takeFactorAway(browser, server, user.email);
  await page.getByRole('button', { name: 'Abmelden' }).last().click();
  await login(page, user);
  await expect(page).toHaveURL('/content-selection');
});

/** As an administrator, for somebody who has lost it. */
async function takeFactorAway(browser: Browser, server: TestServer, email: string): Promise<void> {
  const office = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
  const desk = await office.newPage();
  await toDesk(desk, server, '/admin/benutzer');
  await desk.getByLabel('Nach E-Mail suchen').fill(email);
  await desk.route('**/factors', (route) => route.abort());
  await desk.getByRole('button', { name: `${email} verwalten` }).click();
  const retry = desk.getByRole('dialog').getByRole('button', { name: 'Erneut versuchen' });
  await expect(retry).toBeVisible();
  await desk.unroute('**/factors');
  await retry.click();
  await expect(desk.getByText(/^Authentifizierungs-App, seit /)).toBeVisible();
  await expectAccessible(desk);
  await picture(desk, 'admin-account');
  await desk.getByRole('button', { name: 'Zweiten Faktor entfernen' }).click();
  await expect(desk.getByRole('alertdialog')).toContainText(email);
  await desk.getByRole('button', { name: 'Entfernen', exact: true }).click();
  await expectToast(desk, 'Zweiter Faktor entfernt');
  await office.close();
}

test('Konto: a passkey is set up and asked for at the login', async ({ page, server }) => {
  // A browser takes no IP address as a passkey's site.
  const site = server.url.replace('127.0.0.1', 'localhost');
  const user = await createUser(server, { role: 'firma_a' });
  const enter = async (): Promise<void> => {
    await page.goto(`${site}/login`);
    await page.getByLabel('E-Mail').fill(user.email);
    await page.getByLabel('Passwort', { exact: true }).fill(user.password);
    await page.getByRole('button', { name: 'Anmelden' }).click();
  };
  await enter();
  await openAccount(page);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.getByRole('button', { name: 'Passkey einrichten' }).click();
  await expect(page.getByText('Abgebrochen. Es hat sich nichts geändert.')).toBeVisible();
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await page.getByRole('button', { name: 'Passkey einrichten' }).click();
  await expectNotice(page, 'Passkey eingerichtet');
  await expect(page.getByRole('button', { name: 'Passkey entfernen' })).toBeVisible();
  await logout(page);
  await enter();
  await picture(page, 'second-factor');
  await page.getByRole('button', { name: 'Mit Passkey bestätigen' }).click();
  await expect(page).toHaveURL(`${site}/firma-a`);
});

test('Konto: devices are listed and signed out, one, all others, everywhere', async ({ page, server, loginAs }) => {
  const user = await loginAs('firma_b');
  for (const device of [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36',
  ])
    await enterElsewhere(server, user, device);
  await openAccount(page);
  const devices = page.locator('section', { has: page.getByRole('heading', { name: 'Angemeldet auf' }) });
  // One more is the test's own way to arrange things.
  await expect(devices.getByRole('listitem')).toHaveCount(4);
  await page.getByRole('button', { name: 'Safari auf iPhone abmelden' }).click();
  await expectNotice(page, 'Gerät abgemeldet');
  await expect(devices.getByRole('listitem')).toHaveCount(3);
  await page.getByRole('button', { name: 'Alle anderen abmelden' }).click();
  await expectNotice(page, 'Alle anderen Geräte abgemeldet');
  await expect(devices.getByRole('listitem')).toHaveCount(1);
  await page.getByRole('button', { name: 'Überall abmelden' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Überall abmelden' }).click();
  await expect(page).toHaveURL('/login');
});

/** A login on another device. */
async function enterElsewhere(server: TestServer, { email, password }: TestUser, device: string): Promise<void> {
  const answer = await fetch(`${server.url}/auth/v1/token?grant_type=password`, {
    method: 'POST',
    headers: {
      apikey: server.backend.keys.publishableKey,
      'content-type': 'application/json',
      'user-agent': device,
    },
    body: JSON.stringify({ email, password }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

test('Konto: a new address is agreed to in both mailboxes', async ({ page, server, loginAs }) => {
  const user = await loginAs('firma_a');
  await openAccount(page);
  await page.getByLabel('Neue E-Mail-Adresse').fill('ohne-klammeraffe');
  await page.getByRole('button', { name: 'Adresse ändern' }).click();
  await expect(page.getByText('Bitte gib eine gültige E-Mail-Adresse ein.')).toBeVisible();
  const fresh = `neu.${user.email}`;
  await page.getByLabel('Neue E-Mail-Adresse').fill(fresh);
  await page.getByRole('button', { name: 'Adresse ändern' }).click();
  await expect(page.getByText('Zwei E-Mails sind unterwegs')).toBeVisible();
  await page.goto(await linkTo(server, user.email));
  await expect(page.getByText('Die Hälfte ist geschafft')).toBeVisible();
  await page.goto(await linkTo(server, fresh));
  await expect(page.getByText(fresh)).toBeVisible();
  await page.goto(await linkTo(server, fresh));
  await expect(page.getByText('Dieser Link gilt nicht mehr'), 'a second time').toBeVisible();
  await expect(page.getByText(fresh)).toBeVisible();
});

test('Anmeldung: a code by mail instead of the password; unknown addresses look the same', async ({ page, server }) => {
  const user = await createUser(server, { role: 'testnormec' });
  await page.goto('/login');
  await page.getByRole('link', { name: 'Code per E-Mail statt Passwort' }).click();
  // Each address gets one mail a minute.
  await page.getByLabel('E-Mail').fill(`niemand-${randomUUID()}@beispiel.test`);
  await page.getByRole('button', { name: 'Code anfordern' }).click();
  await expect(page.getByText('Sieh in dein Postfach')).toBeVisible();
  await page.reload();
  await page.getByLabel('E-Mail').fill(user.email);
  await page.getByRole('button', { name: 'Code anfordern' }).click();
  await expect(page.getByText('Sieh in dein Postfach')).toBeVisible();
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await expect(page.getByText('Bitte gib den Code ein.')).toBeVisible();
  await codeField(page).fill('000000');
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await expect(page.getByText('Dieser Code stimmt nicht oder ist abgelaufen.')).toBeVisible();
  await codeField(page).fill(await codeTo(server, user.email));
  await page.getByRole('button', { name: 'Anmelden' }).click();
  await expect(page).toHaveURL('/testnormec');
});

test('decision 0063 a role that requires a second factor sets one up first', async ({ page }) => {
  const server = await bootServer({ MFA_REQUIRED_ROLES: 'admin' });
  try {
    const user = await createUser(server, { role: 'admin' });
    await page.goto(`${server.url}/login`);
    await page.getByLabel('E-Mail').fill(user.email);
    await page.getByLabel('Passwort', { exact: true }).fill(user.password);
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await expect(page).toHaveURL(`${server.url}/konto`);
    await expect(page.getByText('Deine Rolle verlangt einen zweiten Faktor.')).toBeVisible();
    await setUpApp(page);
    await page.goto(`${server.url}/admin`);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Administration');
    await expect(page.getByText('Lade Statistiken...')).toHaveCount(0);
    await expect(page.getByText('Keine Daten verfügbar')).toHaveCount(0);
  } finally {
    await server.stop();
  }
});

/** The code in the newest mail to this address. */
async function codeTo(server: TestServer, address: string): Promise<string> {
  await linkTo(server, address);
  const mail = (await mailsIn(server.dataDir)).findLast(({ to }) => to === address);
  return /\b(\d{6})\b/.exec(mail?.text ?? '')?.[1] ?? '';
}
