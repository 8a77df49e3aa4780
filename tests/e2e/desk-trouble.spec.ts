import { open } from 'node:fs/promises';
import path from 'node:path';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { change, contribute, look } from '#tests/support/desk.ts';
import { must } from '#tests/support/desk-calls.ts';
import { startSmtpServer } from '#tests/support/smtp-server.ts';
import type { Page, Request } from '@playwright/test';
import { enterWithSession, expect, installClock, submitLogin, test } from './application.ts';
import { getRows, storeFile, toDesk } from './desk.ts';
import { expectToast } from './toasts.ts';
import { expectAccessible } from './findings.ts';

test.use({ apart: 'desk-trouble', viewport: { width: 1280, height: 900 } });

/** Where the disk store keeps the bytes. */
async function readBytes(server: TestServer, name: string): Promise<string> {
  const { rows } = await asOwner(server.databaseUrl, (client) =>
    client.query<{ version: string }>('select version from storage.objects where name = $1', [name]),
  );
  const version = rows[0]?.version ?? '';
  return path.join(server.dataDir, 'files', 'objects', version.slice(0, 2), version);
}

/** Those that are under way; a load state is reached once only. */
function watchRequests(page: Page): ReadonlySet<Request> {
  const requests = new Set<Request>();
  page.on('request', (request) => requests.add(request));
  for (const end of ['requestfinished', 'requestfailed'] as const) {
    page.on(end as 'requestfinished', (request) => requests.delete(request));
  }
  return requests;
}

test('Desk: leads an ended session to the login and back, and a revoked administrator to the own area', async ({
  page,
  server,
}) => {
  const id = await contribute(server, { lastName: 'Geheim', email: 'g@beispiel.test' });
  await installClock(page);
  const requests = watchRequests(page);
  const admin = await toDesk(page, server, `/admin/eingang/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Geheim');
  // The page polls by itself; a refused poll would lead to the login before the button is pressed.
  const polls = '**/rest/v1/**';
  await page.route(polls, (route) => route.abort());
  await expect.poll(() => requests.size).toBe(0);
  await must(admin.client.auth.signOut({ scope: 'global' }).then(({ error }) => ({ data: null, error })));
  await page.getByRole('button', { name: 'Alles als ZIP' }).click();
  await expect(page).toHaveURL('/login');
  await page.unroute(polls);
  await expect(page.getByText('Geheim')).toHaveCount(0);
  await submitLogin(page, admin);
  await expect(page).toHaveURL(`/admin/eingang/${id}`);

  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Geheim');
  await page.keyboard.press('u');
  await expect(getRows(page).first()).toBeVisible();
  // A request still under way would be refused at once, and the clock would then move past its toast.
  await expect.poll(() => requests.size).toBe(0);
  await must(server.service().from('user_roles').update({ role: 'firma_b' }).eq('user_id', admin.id));
  await page.clock.fastForward(15_000);
  // First, as it goes by itself after 5 s.
  await expectToast(page, 'Zugriff verweigert', 'Sie haben keine Berechtigung für diesen Bereich.');
  await expect(page).toHaveURL('/firma-b');
  await expect(page.getByText('Geheim')).toHaveCount(0);
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
    await expect(card).toContainText('Alte Beiträge gelöscht');
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
