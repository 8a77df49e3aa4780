import { randomUUID } from 'node:crypto';
import { createUser } from '#tests/support/accounts.ts';
import { addPerson } from '#tests/support/people.ts';
import { fillFigures, linkTo, login } from './admin.ts';
import { enterWithSession, expect, test } from './application.ts';
import { expectAccessible } from './findings.ts';
import { walkTo } from './flow.ts';

const someone = (): string => `${randomUUID()}@beispiel.test`;

// Figures are counted: nobody else's rows.
test.use({ apart: 'admin' });

test.describe('§2.12 /admin', () => {
  test('figures, details, charts and their tables from real rows; refreshed on demand; axe in light and dark', async ({
    page,
    server,
    loginAs,
  }) => {
    await fillFigures(server);
    await loginAs('admin');
    const card = page.getByRole('link', { name: /Firma A/ });
    await expect(card).toContainText('80 Beiträge');
    await expect(card).toContainText('4 Aktive Nutzer');
    await expect(page.getByText('26 Beiträge · 39 Uploads')).toBeVisible();
    await expect(page.getByText('14 Beiträge', { exact: false })).toBeHidden();
    await expect(page.getByRole('img', { name: /^Säulendiagramm/ })).toBeVisible();
    await expect(page.getByRole('img', { name: /^Balkendiagramm.*Interview mit/ })).toBeVisible();
    const weeks = page.getByRole('table', { name: 'Eingänge je Woche' });
    await expect(weeks.getByRole('row')).toHaveCount(13);
    await page.getByRole('button', { name: 'Zahlen als Tabelle anzeigen' }).first().click();
    await expect(weeks).toBeVisible();
    await expect(page.getByText(/^Stand \d\d:\d\d:\d\d Uhr$/)).toBeVisible();
    await expectAccessible(page);

    const person = await createUser(server, { role: 'testnormec' });
    await person.client.from('interviews').insert({});
    await page.getByRole('button', { name: 'Aktualisieren' }).click();
    await expect(page.getByRole('link', { name: /Testnormec/ })).toContainText('1 Beiträge');
  });

  test('the card of each area opens it', async ({ page, loginAs }) => {
    await loginAs('admin');
    for (const [name, href] of [
      ['Firma A', '/firma-a'],
      ['Firma B', '/firma-b'],
      ['Testnormec', '/testnormec'],
      ['Ingenieurverband', '/content-selection'],
    ] as const) {
      await page
        .getByRole('main')
        .getByRole('link', { name: new RegExp(`^${name}`) })
        .click();
      await expect(page).toHaveURL(href);
      await walkTo(page, '/admin');
    }
  });

  test("A load error: its message and 'Keine Daten verfügbar' on the screen, and the next try works (§8)", async ({
    page,
    loginAs,
  }) => {
    let broken = true;
    await page.route('**/rest/v1/rpc/admin_*', (route) =>
      broken
        ? route.fulfill({ status: 500, json: { message: 'Die Datenbank schläft', code: 'XX000' } })
        : route.continue(),
    );
    await loginAs('admin');
    await expect(page.getByText('Die Datenbank schläft', { exact: true })).toBeVisible();
    await expect(page.getByRole('link', { name: /Firma A/ })).toContainText('Keine Daten verfügbar');
    broken = false;
    await page.getByRole('button', { name: 'Aktualisieren' }).click();
    await expect(page.getByRole('link', { name: /Firma A/ })).toContainText('Beiträge');
  });

  test("An error without words is 'Unbekannter Fehler'; while nothing has come yet: 'Lade Statistiken...' (§8)", async ({
    page,
    loginAs,
  }) => {
    let answer = (): void => undefined;
    const wait = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/rest/v1/rpc/admin_statistics*', async (route) => {
      await wait;
      await route.fulfill({ status: 200, json: { nonsense: true } });
    });
    await loginAs('admin');
    await expect(page.getByRole('link', { name: /Firma B/ })).toContainText('Lade Statistiken...');
    answer();
    await expect(page.getByText('Unbekannter Fehler', { exact: true })).toBeVisible();
    await expect(page.getByRole('link', { name: /Firma B/ })).toContainText('Keine Daten verfügbar');
  });
});

test.describe('/admin/benutzer (D14)', () => {
  test('invited: mail → link → own password → own area → login with it (D15)', async ({
    page,
    server,
    browser,
    loginAs,
  }) => {
    await loginAs('admin');
    await page.getByRole('link', { name: 'Benutzer verwalten' }).click();
    await expect(page).toHaveURL(/\/admin\/benutzer$/);
    const email = someone();
    await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
    await page.getByLabel('E-Mail', { exact: true }).fill(email);
    await page.getByLabel('Rolle').selectOption({ label: 'Firma B' });
    await page.getByRole('button', { name: 'Einladung senden' }).click();
    await expect(page.getByText('Einladung gesendet', { exact: true })).toBeVisible();
    await page.getByLabel('Nach E-Mail suchen').fill(email);
    await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: email })).toContainText('Eingeladen');

    const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
    const guest = await context.newPage();
    await guest.goto(await linkTo(server, email));
    await expect(guest).toHaveURL(/\/passwort-neu/);
    await guest.getByLabel('Neues Passwort', { exact: true }).fill('ein-gutes-passwort');
    await guest.getByLabel('Neues Passwort wiederholen').fill('ein-gutes-passwort');
    await guest.getByRole('button', { name: 'Passwort speichern' }).click();
    await expect(guest).toHaveURL(/\/firma-b$/);
    await guest.getByRole('button', { name: 'Abmelden' }).click();
    await login(guest, { email, password: 'ein-gutes-passwort' });
    await expect(guest).toHaveURL(/\/firma-b$/);
    await context.close();
  });

  test('a password shown once; the account is in with it', async ({ page, server, browser, loginAs }) => {
    await loginAs('admin', '/admin/benutzer');
    const email = someone();
    await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
    await page.getByRole('button', { name: 'Einladung senden' }).click();
    await expect(page.getByText('Bitte gib eine gültige E-Mail-Adresse ein.')).toBeVisible();
    await page.getByLabel('E-Mail', { exact: true }).fill(email);
    await page.getByLabel('Rolle').selectOption({ label: 'Verbands-Admin' });
    await page.getByText('Passwort erzeugen').click();
    await page.getByRole('button', { name: 'Konto anlegen' }).click();
    await expect(page.getByText('Konto angelegt.', { exact: false })).toBeVisible();
    await page.mouse.click(5, 5);
    await page.keyboard.press('Escape');
    const password = await page.getByLabel('Passwort', { exact: true }).inputValue();
    await page.getByRole('button', { name: 'Fertig' }).click();
    await expect(page.getByText(password)).toHaveCount(0);
    const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
    const guest = await context.newPage();
    await login(guest, { email, password });
    await expect(guest).toHaveURL(/\/content-selection$/);
    await context.close();
  });

  test('banned: the login is refused; unbanned: it works', async ({ page, server, browser, loginAs }) => {
    const person = await createUser(server, { role: 'firma_a' });
    await loginAs('admin', '/admin/benutzer');
    await page.getByLabel('Nach E-Mail suchen').fill(person.email);
    await page.getByRole('button', { name: `${person.email} verwalten` }).click();
    await page.getByRole('button', { name: 'Sperren' }).click();
    await expect(page.getByText('Benutzer gesperrt', { exact: true })).toBeVisible();
    await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: person.email })).toContainText(
      'Gesperrt',
    );
    const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
    const guest = await context.newPage();
    await login(guest, person);
    await expect(guest.getByText('Anmeldefehler', { exact: true })).toBeVisible();
    await expect(guest).toHaveURL(/\/login$/);
    await page.getByRole('button', { name: `${person.email} verwalten` }).click();
    await page.getByRole('button', { name: 'Entsperren' }).click();
    await expect(page.getByText('Benutzer entsperrt', { exact: true })).toBeVisible();
    await login(guest, person);
    await expect(guest).toHaveURL(/\/firma-a$/);
    await context.close();
  });

  test('a role changed while its owner is logged in opens the new area at the next load', async ({
    page,
    server,
    browser,
    loginAs,
  }) => {
    const person = await createUser(server, { role: 'firma_a' });
    const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
    const guest = await context.newPage();
    await enterWithSession(guest, server, person, '/firma-a');
    await loginAs('admin', '/admin/benutzer');
    await page.getByLabel('Nach E-Mail suchen').fill(person.email);
    await page.getByRole('button', { name: `${person.email} verwalten` }).click();
    await page.getByLabel('Rolle').selectOption({ label: 'Testnormec' });
    await page.getByRole('button', { name: 'Rolle speichern' }).click();
    await expect(page.getByText('Rolle geändert', { exact: true })).toBeVisible();
    await guest.reload();
    await expect(guest).toHaveURL(/\/testnormec$/);
    await context.close();
  });

  test('removing names the person and asks first', async ({ page, server, loginAs }) => {
    const person = await createUser(server, { role: 'firma_a' });
    await loginAs('admin', '/admin/benutzer');
    await page.getByLabel('Nach E-Mail suchen').fill(person.email);
    const open = async (): Promise<void> => {
      await page.getByRole('button', { name: `${person.email} verwalten` }).click();
      await page.getByRole('button', { name: 'Benutzer entfernen' }).click();
    };
    await open();
    await expect(page.getByRole('alertdialog')).toContainText(person.email);
    await page.getByRole('button', { name: 'Abbrechen' }).click();
    await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: person.email })).toBeVisible();
    await open();
    await page.getByRole('button', { name: 'Entfernen', exact: true }).click();
    await expect(page.getByText('Benutzer entfernt', { exact: true })).toBeVisible();
    await expect(page.getByText('Niemand gefunden')).toBeVisible();
  });

  test('the own account offers nothing; axe on list and dialogs in light and dark', async ({
    page,
    server,
    loginAs,
  }) => {
    const person = await createUser(server, { role: 'firma_a' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const admin = await loginAs('admin', '/admin/benutzer');
    await page.getByLabel('Nach E-Mail suchen').fill(admin.email);
    await page.getByRole('button', { name: `${admin.email} verwalten` }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Das ist dein eigenes Konto.');
    await expect(dialog.getByRole('button')).toHaveCount(1);
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await page.getByLabel('Nach E-Mail suchen').fill(person.email);
    await page.getByRole('button', { name: `${person.email} verwalten` }).click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
    await expectAccessible(page);
  });

  test('beyond 50 there are pages', async ({ page, server, loginAs }) => {
    const tag = randomUUID().slice(0, 8);
    for (let count = 0; count < 51; count += 1)
      await addPerson(server, { email: `${String(count).padStart(2, '0')}-${tag}@beispiel.test` });
    await loginAs('admin', '/admin/benutzer');
    await page.getByLabel('Nach E-Mail suchen').fill(tag);
    await expect(page.getByText('51 Benutzer')).toBeVisible();
    await page.getByRole('button', { name: 'Nächste' }).click();
    await expect(page.getByText('Seite 2 von 2')).toBeVisible();
    await expect(page.getByText(`50-${tag}@beispiel.test`)).toBeVisible();
    await expect(page.getByText(`00-${tag}@beispiel.test`)).toHaveCount(0);
  });

  test('Nobody but an admin gets here (§6)', async ({ page, loginAs }) => {
    await loginAs('vdi_admin', '/admin/benutzer');
    await expect(page).toHaveURL(/\/content-selection$/);
  });
});
