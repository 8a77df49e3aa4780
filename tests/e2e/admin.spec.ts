import { randomUUID } from 'node:crypto';
import { createUser } from '#tests/support/accounts.ts';
import { fillFigures, linkTo, login } from './admin.ts';
import { expect, test } from './application.ts';
import { expectAccessible } from './findings.ts';
import { walkTo } from './flow.ts';

const someone = (): string => `${randomUUID()}@beispiel.test`;

// Figures are counted: nobody else's rows.
test.use({ apart: 'admin' });

test.describe('§2.12 /admin', () => {
  test('figures, details, charts and their tables from real rows; refreshed on demand; the cards; axe in light and dark', async ({
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
});

test.describe('/admin/benutzer (D14)', () => {
  test('invited: mail → link → own password → own area → another role → banned → unbanned → removed (D15)', async ({
    page,
    server,
    browser,
    loginAs,
  }) => {
    test.slow();
    await loginAs('admin');
    await page.getByRole('link', { name: 'Benutzer verwalten' }).click();
    await expect(page).toHaveURL(/\/admin\/benutzer$/);
    const email = someone();
    const password = 'ein-gutes-passwort';
    await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
    await page.getByLabel('E-Mail', { exact: true }).fill(email);
    await page.getByLabel('Rolle').selectOption({ label: 'Firma B' });
    await page.getByLabel('Per E-Mail einladen').check();
    await page.getByRole('button', { name: 'Einladung senden' }).click();
    await expect(page.getByText('Einladung erstellt', { exact: true })).toBeVisible();
    await page.getByLabel('Nach E-Mail suchen').fill(email);
    const row = page.getByRole('main').getByRole('listitem').filter({ hasText: email });
    await expect(row).toContainText('Eingeladen');

    const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
    const guest = await context.newPage();
    await guest.goto(await linkTo(server, email));
    await expect(guest).toHaveURL(/\/passwort-neu/);
    await guest.getByLabel('Neues Passwort', { exact: true }).fill(password);
    await guest.getByLabel('Neues Passwort wiederholen').fill(password);
    await guest.getByRole('button', { name: 'Passwort speichern' }).click();
    await expect(guest).toHaveURL(/\/firma-b$/);

    // A role changed while its owner is logged in opens the new area at the next load.
    const manage = () => page.getByRole('button', { name: `${email} verwalten` }).click();
    await manage();
    await page.getByLabel('Rolle').selectOption({ label: 'Testnormec' });
    await page.getByRole('button', { name: 'Rolle speichern' }).click();
    await expect(page.getByText('Rolle geändert', { exact: true })).toBeVisible();
    await guest.reload();
    await expect(guest).toHaveURL(/\/testnormec$/);
    await guest.getByRole('button', { name: 'Abmelden' }).click();

    await manage();
    await page.getByRole('button', { name: 'Sperren' }).click();
    await expect(page.getByText('Benutzer gesperrt', { exact: true })).toBeVisible();
    await expect(row).toContainText('Gesperrt');
    await login(guest, { email, password });
    await expect(guest.getByText('Anmeldefehler', { exact: true })).toBeVisible();
    await expect(guest).toHaveURL(/\/login$/);
    await manage();
    await page.getByRole('button', { name: 'Entsperren' }).click();
    await expect(page.getByText('Benutzer entsperrt', { exact: true })).toBeVisible();
    await guest.getByRole('button', { name: 'Anmelden', exact: true }).click();
    await expect(guest).toHaveURL(/\/testnormec$/);
    await context.close();

    await manage();
    await page.getByRole('button', { name: 'Benutzer entfernen' }).click();
    await expect(page.getByRole('alertdialog')).toContainText(email);
    await page.getByRole('button', { name: 'Entfernen', exact: true }).click();
    await expect(page.getByText('Benutzer entfernt', { exact: true })).toBeVisible();
    await expect(page.getByText('Niemand gefunden')).toBeVisible();
  });

  test('axe on list and dialogs in light and dark', async ({ page, server, loginAs }) => {
    const person = await createUser(server, { role: 'firma_a' });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    const admin = await loginAs('admin', '/admin/benutzer');
    await page.getByLabel('Nach E-Mail suchen').fill(admin.email);
    await page.getByRole('button', { name: `${admin.email} verwalten` }).click();
    await expect(page.getByRole('dialog')).toContainText('Das ist dein eigenes Konto.');
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await page.getByLabel('Nach E-Mail suchen').fill(person.email);
    await page.getByRole('button', { name: `${person.email} verwalten` }).click();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Benutzer anlegen' }).click();
    await expectAccessible(page);
  });
});
