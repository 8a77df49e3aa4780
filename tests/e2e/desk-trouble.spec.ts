import { open, rm, truncate } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { change, contribute, look } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { startSmtpServer } from '#tests/support/smtp-server.ts';
import { enterWithSession, expect, test } from './application.ts';
import { ERASED, picture, getRows, storeFile, toDesk, toInbox } from './desk.ts';
import { expectToast } from './toasts.ts';
import { expectAccessible } from './findings.ts';

test.use({ apart: 'desk-trouble', viewport: { width: 1280, height: 900 } });

/** Somebody else at the desk, in a browser of their own. */
async function colleague(browser: Browser, server: TestServer, path: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: server.url, locale: 'de-DE' })).newPage();
  await toDesk(page, server, path);
  return page;
}

async function eraseContribution(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Beitrag löschen' }).click();
  const dialog = page.getByRole('dialog', { name: 'Beitrag endgültig löschen?' });
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Beitrag gelöscht', ERASED);
}

/** Where the disk store keeps the bytes. */
async function readBytes(server: TestServer, name: string): Promise<string> {
  const { rows } = await asOwner(server.databaseUrl, (client) =>
    client.query<{ version: string }>('select version from storage.objects where name = $1', [name]),
  );
  const version = rows[0]?.version ?? '';
  return path.join(server.dataDir, 'files', 'objects', version.slice(0, 2), version);
}

test('Desk: leads a revoked administrator to the own area and says why', async ({ page, server }) => {
  await contribute(server, { lastName: 'Geheim', email: 'g@beispiel.test' });
  await page.clock.install();
  const admin = await toInbox(page, server);
  await expect(getRows(page).first()).toBeVisible();
  // A request still under way would be refused at once, and the clock would then move past its toast.
  await page.waitForLoadState('networkidle');
  await must(server.service().from('user_roles').update({ role: 'firma_b' }).eq('user_id', admin.id));
  await page.clock.fastForward(15_000);
  // First, as it goes by itself after 5 s.
  await expectToast(page, 'Zugriff verweigert', 'Sie haben keine Berechtigung für diesen Bereich.');
  await expect(page).toHaveURL('/firma-b');
  await expect(page.getByText('Geheim')).toHaveCount(0);
});

test('Desk: leads an ended session to the login and back', async ({ page, server }) => {
  const id = await contribute(server, { lastName: 'Geheim', email: 'g@beispiel.test' });
  const admin = await toDesk(page, server, `/admin/eingang/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Geheim');
  // The page polls by itself; a refused poll would lead to the login before the button is pressed.
  const polls = '**/rest/v1/**';
  await page.route(polls, (route) => route.abort());
  await page.waitForLoadState('networkidle');
  await must(admin.client.auth.signOut({ scope: 'global' }).then(({ error }) => ({ data: null, error })));
  await page.getByRole('button', { name: 'Alles als ZIP' }).click();
  await expect(page).toHaveURL('/login');
  await page.unroute(polls);
  await expect(page.getByText('Geheim')).toHaveCount(0);
  await page.getByLabel('E-Mail').fill(admin.email);
  await page.getByLabel('Passwort', { exact: true }).fill(admin.password);
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click();
  await expect(page).toHaveURL(`/admin/eingang/${id}`);
});

test('Desk: removes contributions erased elsewhere and focuses the next one', async ({ page, server }) => {
  const ids: number[] = [];
  for (const lastName of ['Weg1', 'Bleibt', 'Weg2', 'Anfang'])
    ids.push(await contribute(server, { lastName, email: 'p@beispiel.test', transcript: 'verschwindet' }));
  const erase = (id: number | undefined) =>
    asOwner(server.databaseUrl, (client) => client.query('delete from interviews where id = $1', [id]));
  await page.clock.install();
  await toInbox(page, server, '?suche=verschwindet');
  await expect(getRows(page)).toHaveCount(4);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: 'Weg2' })).toBeFocused();
  await erase(ids[2]);
  await page.clock.fastForward(15_000);
  // First, as it goes by itself after 5 s.
  await expectToast(page, 'Ein Beitrag wurde gelöscht');
  await expect(getRows(page)).toHaveCount(3);
  await expect(page.getByRole('link', { name: 'Bleibt' })).toBeFocused();
  await expect(page.getByRole('main').getByRole('link', { name: /^Neu/ })).toHaveText('Neu3');

  await page.getByRole('link', { name: 'Tafel' }).click();
  const column = page.getByRole('region', { name: 'Neu' });
  await column.getByRole('link', { name: 'Weg1' }).focus();
  await erase(ids[0]);
  await page.clock.fastForward(15_000);
  await expect(column.getByRole('link')).toHaveText(['Anfang', 'Bleibt']);
  await expect(column.getByRole('link', { name: 'Bleibt' })).toBeFocused();
  await expect(column.getByRole('heading')).toHaveText('Neu2');
});

/** The first comparison remembers the last change; what is changed before its answer is there is news to it already. */
async function compareOnce(page: Page): Promise<void> {
  const answers = ['changed', 'newest'].map((sort) =>
    page.waitForResponse((answer) => answer.request().postData()?.includes(`"sort":"${sort}"`) === true),
  );
  await page.clock.fastForward(15_000);
  for (const answer of await Promise.all(answers)) await answer.finished();
}

test('Desk: follows what another administrator moves, however old it is (decision 0368)', async ({ page, server }) => {
  const first = await contribute(server, { lastName: 'Zuerst', email: 'p@beispiel.test', transcript: 'wandert' });
  for (let more = 0; more < 52; more += 1)
    await contribute(server, { lastName: `Danach ${more}`, email: 'p@beispiel.test', transcript: 'wandert' });
  const { client: other } = await createUser(server, { role: 'admin' });
  await page.clock.install();
  await toInbox(page, server, '?suche=wandert&status=neu&sortierung=aelteste');
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: 'Zuerst' })).toBeFocused();
  await compareOnce(page);
  await change(other, { id: first, version: 1, change: { state: 'in_progress' } });
  await page.clock.fastForward(15_000);
  await expectToast(page, 'Ein Beitrag passt nicht mehr zum Filter');
  await expect(page.getByRole('link', { name: 'Zuerst' })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Danach 0', exact: true })).toBeFocused();
  await expect(page.getByRole('main').getByRole('link', { name: /^In Arbeit/ })).toHaveText('In Arbeit1');

  await page.goto('/admin/eingang/tafel?suche=wandert');
  const card = (name: string) => page.getByRole('region', { name }).getByRole('link', { name: 'Zuerst' });
  await expect(card('In Arbeit')).toBeVisible();
  await compareOnce(page);
  await change(other, { id: first, version: 2, change: { state: 'rejected' } });
  await page.clock.fastForward(15_000);
  await expect(card('Abgelehnt')).toBeVisible();
  await expect(card('In Arbeit')).toHaveCount(0);
});

test('Desk: hides an open contribution that was erased elsewhere', async ({ page, browser, server }) => {
  const ids = await Promise.all(
    ['Gauß', 'Riemann'].map((lastName) =>
      contribute(server, { lastName, email: 'p@beispiel.test', transcript: 'Streng vertraulich' }),
    ),
  );
  await toDesk(page, server, `/admin/eingang/${ids[0]}`);
  await page.getByLabel('Interne Notiz').fill('Noch nicht gespeichert');
  const other = await colleague(browser, server, `/admin/eingang/${ids[0]}`);
  await eraseContribution(other);
  await page.getByRole('button', { name: 'Notiz speichern' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Diesen Beitrag gibt es nicht');
  await expect(page.getByText('Streng vertraulich')).toHaveCount(0);
  await expectAccessible(page);

  await page.goto('/admin/eingang/tafel');
  const card = page
    .getByRole('region', { name: 'Neu', exact: true })
    .getByRole('listitem')
    .filter({ hasText: 'Riemann' });
  await expect(card).toBeVisible();
  // The board asks by itself; an answer from now on would remove the card before it is moved.
  await page.route('**/rpc/desk_pulse', () => new Promise(() => {}));
  await other.goto(`/admin/eingang/${ids[1]}`);
  await eraseContribution(other);
  await other.context().close();
  await card.getByRole('button', { name: 'Riemann verschieben' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'In Arbeit' }).click();
  await expect(page.getByRole('alert')).toContainText('Diesen Beitrag gibt es nicht mehr.');
  await expect(card).toHaveCount(0);
});

test('Desk: reports a lost or short file at the click and stays on the screen', async ({ page, server }) => {
  const id = await contribute(server, { lastName: 'Zuse', email: 'p@beispiel.test' });
  const bytes = picture(400, 300, [40, 90, 160]);
  await storeFile(server, id, { path: '1763719200000_weg.png', type: 'image/png', bytes });
  await storeFile(server, id, { path: '1763719200001_kurz.png', type: 'image/png', bytes });
  await toDesk(page, server, `/admin/eingang/${id}`);
  await expect(page.getByRole('button', { name: 'Bild 2 (PNG) herunterladen' })).toBeVisible();
  await rm(await readBytes(server, `${id}/1763719200000_weg.png`));
  await truncate(await readBytes(server, `${id}/1763719200001_kurz.png`), 500);
  await page.getByRole('button', { name: 'Bild 1 (PNG) herunterladen' }).click();
  await expectToast(
    page,
    'Herunterladen nicht möglich',
    'Diese Datei fehlt im Speicher. Frag nach, ob sie noch einmal geschickt werden kann.',
  );
  await page.getByRole('button', { name: 'Bild 2 (PNG) herunterladen' }).click();
  await expectToast(page, 'Herunterladen nicht möglich', 'Diese Datei ist im Speicher unvollständig oder beschädigt.');
  await expect(page).toHaveURL(`/admin/eingang/${id}`);
});

test('Desk: fails the download of a large file damaged in its middle', async ({ page, server }) => {
  const id = await contribute(server, { lastName: 'Zuse', email: 'p@beispiel.test' });
  const name = '1763719200000_lang.mp4';
  await storeFile(server, id, { path: name, type: 'video/mp4', bytes: Buffer.alloc(17 * 1024 * 1024, 'mitte') });
  await toDesk(page, server, `/admin/eingang/${id}`);
  const button = page.getByRole('button', { name: /^Video 1 \(MP4\) als Original herunterladen/ });
  await expect(button).toHaveCount(0);
  await page.getByRole('button', { name: 'Video 1 (MP4) herunterladen' }).click();
  const refused = page.getByRole('alert').filter({ hasText: 'nicht sicher entfernen. Nimm das Original' });
  await expect(refused).toBeVisible();
  const whole = page.waitForEvent('download');
  await button.click();
  expect(await (await whole).failure()).toBeNull();
  const stored = await open(await readBytes(server, `${id}/${name}`), 'r+');
  await stored.write('Mitte', 9 * 1024 * 1024);
  await stored.close();
  await expect(refused).toHaveCount(0);
  const damaged = page.waitForEvent('download');
  await button.click();
  expect(await (await damaged).failure()).not.toBeNull();
});

test('Desk: erases exactly what the period shows and reports a bounced address', async ({ page }) => {
  const smtp = await startSmtpServer({ recipient: () => '550 no such mailbox' });
  const server = await bootServer({
    RETENTION_DAYS: '30',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'post@haus.test',
    DESK_MAIL_TO: 'team@haus.test',
  });
  try {
    const admin = await createUser(server, { role: 'admin' });
    const old = await contribute(server, {
      lastName: 'Alt',
      email: 'alt@beispiel.test',
      transcript: 'Von damals',
      createdAt: '2026-01-05T10:00:00Z',
    });
    const kept = await contribute(server, { lastName: 'Neu', email: 'weg@beispiel.test' });
    await change(admin.client, { id: kept, version: 1, change: { state: 'for_review', text: 'Bitte ansehen' } });
    server.deskMail?.poke();
    // The team's own mail is refused as well, before or after.
    const findMail = async () => (await look(admin.client, kept)).events.find(({ from }) => from === 'for_review');
    await expect.poll(async () => (await findMail())?.to).toBe('refused');
    await enterWithSession(page, server, admin, `${server.url}/admin/eingang/${kept}`);
    await expect(page.getByText('Wird gelöscht ab', { exact: true })).toBeVisible();
    await expect(page.getByText('Die letzte E-Mail kam nicht an')).toBeVisible();
    await expect(page.getByText(/^Der Mailserver hat sie abgelehnt \(550\)\./)).toBeVisible();
    await expect(page.getByRole('list', { name: 'Verlauf' })).toContainText(
      'E-Mail zur Freigabe: vom Mailserver abgelehnt',
    );
    await expectAccessible(page);

    await page.goto(`${server.url}/admin/eingang/datenschutz`);
    const card = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Aufbewahrungsfrist' }) });
    await expect(card).toContainText('Beiträge werden nach 30 Tagen von selbst gelöscht.');
    await expect(card.getByRole('listitem')).toHaveCount(1);
    await expect(card.getByRole('listitem')).toContainText('Von damals');
    await expectAccessible(page);
    await card.getByRole('button', { name: 'Jetzt löschen' }).click();
    const dialog = page.getByRole('dialog', { name: 'Alte Beiträge endgültig löschen?' });
    await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
    await expect(dialog.getByRole('alert')).toContainText('Bitte bestätige zuerst');
    await dialog.getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Endgültig löschen' }).click();
    await expect(card).toContainText('Alte Beiträge gelöscht', ERASED);
    await expect(card).toContainText('Zurzeit ist kein Beitrag so alt.');
    await expect(page.getByRole('listitem').filter({ hasText: 'Ablauf der Aufbewahrungsfrist' })).toContainText(
      '1 Beitrag',
    );
    const left = await admin.client.from('interviews').select('id').in('id', [old, kept]);
    expect(left.data).toEqual([{ id: kept }]);
  } finally {
    await server.stop();
    await smtp.stop();
  }
});
