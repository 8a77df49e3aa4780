import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { mailsWritten, queued } from '#tests/support/desk-mail.ts';
import { change, contribute, look } from '#tests/support/desk.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { startSmtpServer } from '#tests/support/smtp-server.ts';

/** The server sends the desk's mails by itself: into files, to a mail server, and for a hosted project. */
let server: TestServer;
let ada: TestUser;

beforeAll(async () => {
  server = await bootServer();
  ada = await createUser(server, { role: 'admin' });
  await server.deskMail?.idle();
});
afterAll(() => server.stop());

const COMPLETE = { firstName: 'Mira', email: 'mira@beispiel.test', origin: { area: 'generic', kind: 'document' } };

test('Writes every mail to one file without a mail server', async () => {
  const id = await contribute(server, COMPLETE);
  await change(ada.client, { id, version: 1, change: { state: 'published', url: 'https://beispiel.test/p' } });
  await mailsWritten(server);
  const mails = await mailsIn(server.dataDir);
  expect(mails.map(({ to, subject }) => `${to}: ${subject}`).toSorted()).toEqual(
    [
      `${ada.email}: Neuer Beitrag ${id}: Dokument von Mira`,
      `mira@beispiel.test: Dein Beitrag ${id} ist veröffentlicht`,
    ].toSorted(),
  );
  expect(mails.find(({ to }) => to === ada.email)?.link).toBe(`${server.url}/admin/eingang/${id}`);
  expect((await look(ada.client, id)).events[0]).toMatchObject({ what: 'mail', from: 'published', to: 'sent' });
});

test('Sends mails over SMTP_URL and keeps no file', async () => {
  const smtp = await startSmtpServer();
  const other = await bootServer({
    SMTP_URL: smtp.url,
    DESK_MAIL_TO: 'team@haus.test',
    PUBLIC_URL: 'https://beitraege.test',
  });
  try {
    await other.deskMail?.idle();
    const id = await contribute(other, COMPLETE);
    await mailsWritten(other);
    expect(smtp.received.map(({ sender, recipient, link }) => [sender, recipient, link])).toEqual([
      ['no-reply@beitraege.test', 'team@haus.test', `https://beitraege.test/admin/eingang/${id}`],
      ['no-reply@beitraege.test', COMPLETE.email, ''],
    ]);
    expect(await mailsIn(other.dataDir)).toEqual([]);
  } finally {
    await other.stop();
    await smtp.stop();
  }
});

test('Sends mails of a hosted project only with its service key', async () => {
  const smtp = await startSmtpServer();
  await server.deskMail?.stop();
  const hosted = await bootHosted(server, {
    SUPABASE_SERVICE_KEY: server.backend.keys.secretKey,
    SMTP_URL: smtp.url,
    DESK_MAIL_PAUSE_S: '0',
  });
  const without = await bootHosted(server);
  try {
    await hosted.deskMail?.idle();
    const id = await contribute(server, COMPLETE);
    await mailsWritten({ ...hosted, databaseUrl: server.databaseUrl });
    expect(smtp.received.map(({ recipient }) => recipient)).toEqual([ada.email, COMPLETE.email]);
    expect(await queued(server, id)).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
    expect(without.deskMail).toBeUndefined();
  } finally {
    await hosted.stop();
    await without.stop();
    await smtp.stop();
  }
});

test('Starts on a project without a desk', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-project-'));
  await writeFile(path.join(folder, 'config.toml'), 'project_id = "anderes"\n');
  const other = await bootServer({ SUPABASE_DIR: folder });
  try {
    other.deskMail?.poke();
    await other.deskMail?.idle();
    expect((await fetch(`${other.url}/auth/v1/health`)).status).toBe(200);
    expect(await mailsIn(other.dataDir)).toEqual([]);
  } finally {
    await other.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
