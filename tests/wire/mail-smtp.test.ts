import { randomUUID } from 'node:crypto';
import { getEventListeners } from 'node:events';
import { readdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { smtpTransport } from '#server/mail/smtp.ts';
import { createUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createDatabase } from '#tests/support/database.ts';
import { mailsIn } from '#tests/support/outbox.ts';
import { startSmtpServer } from '#tests/support/smtp-server.ts';
import { reservePort } from '../../scripts/reserved-port.ts';

/** D15: mails by SMTP where it is configured, durable in either case. */
let open: (() => Promise<unknown>)[];
beforeEach(() => {
  open = [];
});
afterEach(async () => {
  for (const close of open.toReversed()) await close();
});

async function boot(settings: Record<string, string>): Promise<TestServer> {
  const server = await bootServer(settings);
  open.push(server.stop);
  return server;
}

async function smtpServer(options: Parameters<typeof startSmtpServer>[1] = {}) {
  const smtp = await startSmtpServer({}, options);
  open.push(smtp.stop);
  return smtp;
}

test('a forgotten password: the mail goes to the SMTP server, as the configured sender, and leaves no file', async () => {
  const smtp = await smtpServer({ auth: true });
  const server = await boot({
    SMTP_URL: smtp.url.replace('//', '//haus:geheim@'),
    MAIL_FROM: 'Redaktion Müller <post@haus.test>',
  });
  const { email } = await createUser(server);
  const redirectTo = 'http://127.0.0.1:3000/passwort-neu';
  expect((await server.client().auth.resetPasswordForEmail(email, { redirectTo })).error).toBeNull();
  await smtp.arrived(1);
  await server.stop();
  open.splice(open.indexOf(server.stop), 1);
  const [mail] = smtp.received;
  expect(smtp.received).toHaveLength(1);
  expect(mail).toMatchObject({
    sender: 'post@haus.test',
    recipient: email,
    to: email,
    subject: 'Neues Passwort vergeben',
  });
  expect(mail?.from).toBe(`=?UTF-8?B?${Buffer.from('Redaktion Müller').toString('base64')}?= <post@haus.test>`);
  expect(new URL(mail?.link ?? '').searchParams.get('redirect_to')).toBe(redirectTo);
  expect(smtp.logins).toEqual(['haus:geheim']);
});

/** The address of a mail server that is not there yet, for servers that follow each other on one folder. */
async function reserveMailServer() {
  const away = await reservePort();
  const database = await createDatabase('migrated');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-mail-'));
  open.push(() => rm(dataDir, { recursive: true, force: true }), database.drop, away.release);
  const settings = { SMTP_URL: `smtp://127.0.0.1:${away.port}`, DATA_DIR: dataDir, DATABASE_URL: database.url };
  return { port: away.port, dataDir, settings };
}

test('an SMTP server that is away: the mail survives a restart and goes out once', async () => {
  const { port, dataDir, settings } = await reserveMailServer();
  const first = await bootServer(settings);
  const { email } = await createUser(first);
  expect((await first.client().auth.resetPasswordForEmail(email)).error).toBeNull();
  await first.stop();
  expect(await mailsIn(dataDir)).toMatchObject([{ to: email }]);
  const back = await smtpServer({ port });
  const second = await bootServer(settings);
  await back.arrived(1);
  await second.stop();
  expect(await readdir(path.join(dataDir, 'outbox'))).toEqual([]);
  expect(back.received).toMatchObject([{ recipient: email }]);
});

test('a link that ended while its mail waited, with its account or by a newer link, is not sent (0429)', async () => {
  const { port, dataDir, settings } = await reserveMailServer();
  const first = await bootServer(settings);
  const { admin } = first.service().auth;
  const invite = async (name: string): Promise<string> => {
    const { data, error } = await admin.inviteUserByEmail(`${name}@beispiel.test`);
    return error === null ? data.user.id : expect.fail(error.message);
  };
  await admin.deleteUser(await invite('geht'));
  await admin.updateUserById(await invite('gesperrt'), { ban_duration: '24h' });
  await invite('zweimal');
  await invite('zweimal');
  const past = new Date(Date.now() - 60_000).toISOString();
  const unlock = 'update auth.users set banned_until = $1 where id = $2';
  const unlocked = await invite('frei');
  await first.backend.database.asOwner((tx) => tx.query(unlock, [past, unlocked]));
  await first.stop();
  const back = await smtpServer({ port });
  const second = await bootServer(settings);
  await back.arrived(2);
  await second.stop();
  expect(back.received.map(({ recipient }) => recipient)).toEqual(['zweimal@beispiel.test', 'frei@beispiel.test']);
  expect(await readdir(path.join(dataDir, 'outbox'))).toEqual([]);
});

test('without SMTP_URL the mails stay as files, one each', async () => {
  const server = await boot({ MAIL_FROM: 'post@haus.test' });
  const email = `${randomUUID()}@beispiel.test`;
  expect((await server.service().auth.admin.inviteUserByEmail(email)).error).toBeNull();
  expect(await mailsIn(server.dataDir)).toMatchObject([
    { to: email, from: '"Social-Media-Content-Assistent" <post@haus.test>', subject: 'Du bist eingeladen' },
  ]);
});

test('a sender that would open another header is refused at the start', async () => {
  await expect(bootServer({ MAIL_FROM: 'a@b\r\nBcc: c@d' })).rejects.toThrow('MAIL_FROM');
  await expect(bootServer({ SMTP_URL: 'http://mail' })).rejects.toThrow('SMTP_URL');
});

const MAIL = { from: 'post@haus.test', to: 'mira@beispiel.test', content: Buffer.from('Subject: x\r\n\r\nx') };

test('A mail leaves nothing on the signal that outlives it, whether it was sent or refused', async () => {
  const answers = [undefined, '550 no such mailbox'];
  const smtp = await startSmtpServer({ recipient: () => answers.shift() });
  open.push(smtp.stop);
  const { signal } = new AbortController();
  const transport = smtpTransport(smtp.url);
  const send = async () => (await transport(MAIL, { begin: async () => undefined, signal })).result;
  expect([await send(), await send()]).toEqual(['sent', 'refused']);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('Tells the code of a refused login, but as of a server that is away', async () => {
  const smtp = await startSmtpServer({ auth: () => '535 wrong' }, { auth: true });
  open.push(smtp.stop);
  const transport = smtpTransport(smtp.url.replace('//', '//haus:falsch@'));
  const { signal } = new AbortController();
  const delivery = await transport(MAIL, { begin: async () => undefined, signal });
  expect(delivery).toEqual({ result: 'away', answer: 535, cause: 'EAUTH' });
});

test('Takes an answer to the content that breaks off after its code for one about this mail', async () => {
  const smtp = await startSmtpServer({ received: () => '452 ful…' });
  open.push(smtp.stop);
  const { signal } = new AbortController();
  const delivery = await smtpTransport(smtp.url)(MAIL, { begin: async () => undefined, signal });
  expect(delivery).toMatchObject({ result: 'later', answer: 452 });
});

/** Lets everything happen that needs no time. */
async function flushEvents(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await setImmediate();
}

test('Tells that the connection ended only when the mail is begun, because its outcome is recorded then', async () => {
  const smtp = await startSmtpServer();
  const steps: string[] = [];
  const begin = async (): Promise<void> => {
    await smtp.stop();
    await flushEvents();
    steps.push('begun');
  };
  const { signal } = new AbortController();
  const delivery = await smtpTransport(smtp.url)(MAIL, { begin, signal });
  steps.push(delivery.result);
  expect(steps).toEqual(['begun', 'away']);
});

test('Begins no mail where the server stops already, because its stop would wait for the mail server', async () => {
  const smtp = await smtpServer({});
  let isBegun = false;
  const begin = async (): Promise<void> => void (isBegun = true);
  const { result } = await smtpTransport(smtp.url)(MAIL, { begin, signal: AbortSignal.abort() });
  expect({ result, isBegun }).toEqual({ result: 'away', isBegun: false });
});
