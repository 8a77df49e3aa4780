import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer } from '#tests/support/boot.ts';
import { enterWithSession, expect, test as base } from './application.ts';
import { expectAccessible } from './findings.ts';

const TEXT =
  'Ich stimme zu, dass der Ingenieurverband meinen Beitrag veröffentlicht.\n\nDas kann ich jederzeit widerrufen.';

/** An installation that asks for consent. */
const test = base.extend({
  // oxlint-disable-next-line no-empty-pattern -- Playwright wants the pattern
  server: async ({}, provide) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'consent-'));
    await writeFile(path.join(folder, 'einwilligung.txt'), TEXT);
    const server = await bootServer({ CONSENT_TEXT: path.join(folder, 'einwilligung.txt') });
    await provide(server);
    await server.stop();
    await rm(folder, { recursive: true });
  },
});

test('A contribution is handed in with the consent that the operator asks for, and the desk sees its words (0267)', async ({
  page,
  browser,
  server,
  loginAs,
}) => {
  await loginAs('vdi_admin', '/document-upload');
  await page.locator('input[type=file]').setInputFiles({
    name: 'bericht.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('Die Pumpe läuft.'),
  });
  await page.getByRole('button', { name: 'Hochladen' }).click();
  await expect(page).toHaveURL('/thank-you');
  await expect(page.getByRole('region', { name: 'Einwilligung' })).toContainText('Das kann ich jederzeit widerrufen.');
  await page.getByLabel('Vorname').fill('Ada');
  await page.getByLabel('Nachname').fill('Lovelace');
  await page.getByLabel('E-Mail').fill('ada@beispiel.test');
  await page.getByRole('button', { name: 'Content übermitteln' }).click();
  const box = page.getByRole('checkbox', { name: 'Ich habe die Einwilligung gelesen und stimme ihr zu.' });
  await expect(page.getByText('Ohne deine Einwilligung kann der Beitrag nicht übermittelt werden')).toBeVisible();
  await expect(box).toBeFocused();
  await expectAccessible(page);
  await box.press('Space');
  await page.getByRole('button', { name: 'Content übermitteln' }).click();
  await expect(page).toHaveURL('/');

  const admin = await createUser(server, { role: 'admin' });
  const row = await admin.client.from('interviews').select('id').single<{ id: number }>();
  const context = await browser.newContext({ baseURL: server.url, locale: 'de-DE' });
  const desk = await context.newPage();
  await enterWithSession(desk, server, admin, `/admin/eingang/${row.data?.id}`);
  await desk.getByText(/^Einwilligung vom \d\d\.\d\d\.\d{4}, \d\d:\d\d, Fassung [0-9a-f]{8}$/).click();
  await expect(desk.getByText('Das kann ich jederzeit widerrufen.')).toBeVisible();
  await expectAccessible(desk);
  await context.close();
});
