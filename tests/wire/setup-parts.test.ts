import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type { AppConfig } from '#contract/app-config.ts';
import { DESK_PATH } from '#contract/desk-files.ts';
import { ROLES } from '#contract/roles.ts';
import {
  CHECKED_PARTS,
  PartCheckSchema,
  SETUP_PARTS_PATH,
  SetupPartsSchema,
  type SetupParts,
} from '#contract/setup-parts.ts';
import { recordBackup, recordFailedBackup } from '#server/backup/last-backup.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { backUp } from '#tests/support/backups.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { contribute } from '#tests/support/desk.ts';
import { getCode } from '#tests/support/second-factors.ts';
import { startSmtpServer, type SmtpScript, type SmtpServer } from '#tests/support/smtp-server.ts';
import { startSpeechServices, type SpeechServices } from '#tests/support/speech-services.ts';
import { stopServer } from '#tests/support/stop-server.ts';
import { rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { reservePort } from '../../scripts/reserved-port.ts';

const ROUTES: readonly (readonly [method: string, path: string])[] = [
  ['GET', SETUP_PARTS_PATH],
  ...CHECKED_PARTS.map((part) => ['POST', `${SETUP_PARTS_PATH}/${part}/check`] as const),
];

type Answer = Readonly<{ status: number; headers: Headers; text: string; body: unknown }>;

async function ask(
  server: Pick<TestServer, 'url'>,
  person: TestUser | undefined,
  [method, url]: readonly [string, string],
  sent?: object,
): Promise<Answer> {
  const token = (await person?.client.auth.getSession())?.data.session?.access_token;
  const response = await fetch(server.url + url, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

const check = (server: TestServer, admin: TestUser, part: string, sent?: object): Promise<Answer> =>
  ask(server, admin, ['POST', `${SETUP_PARTS_PATH}/${part}/check`], sent);

const readParts = async (server: Pick<TestServer, 'url'>, admin: TestUser): Promise<SetupParts> =>
  SetupPartsSchema.parse((await ask(server, admin, ['GET', SETUP_PARTS_PATH])).body);

async function addFactor({ client }: TestUser): Promise<void> {
  const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
  if (error !== null) throw error;
  const code = getCode({ now: Date.now }, data.totp.secret);
  expect((await client.auth.mfa.challengeAndVerify({ factorId: data.id, code })).error).toBeNull();
}

describe('A server without any service', () => {
  let server: TestServer;
  let admin: TestUser;
  beforeAll(async () => {
    server = await bootServer();
    admin = await createUser(server, { role: 'admin' });
  });
  afterAll(() => server.stop());

  for (const role of [...ROLES.filter((role) => role !== 'admin'), undefined]) {
    test(`Refuses ${role ?? 'an account without a role'} on every route`, async () => {
      const person = await createUser(server, role === undefined ? {} : { role });
      for (const route of ROUTES) {
        const { status, body } = await ask(server, person, route);
        expect([...route, status, body]).toMatchObject([...route, 403, { error: { code: 'not_admin' } }]);
      }
    });
  }

  test('Refuses a caller without a login on every route', async () => {
    for (const route of ROUTES) {
      const { status, body } = await ask(server, undefined, route);
      expect([...route, status, body]).toMatchObject([...route, 401, { error: { code: 'not_authenticated' } }]);
    }
  });

  test('Names what is missing for each part', async () => {
    const parts = await readParts(server, admin);
    const states = Object.entries(parts).map(([name, { state, lacks }]) => [name, state, ...lacks]);
    expect(states).toEqual([
      ['address', 'missing', 'PUBLIC_URL'],
      ['mail', 'missing', 'SMTP_URL'],
      ['transcription', 'missing', 'TRANSCRIPTION_URL'],
      ['language-model', 'missing', 'LLM_URL'],
      ['voice', 'missing', 'TTS_URL', 'TRANSCRIPTION_URL'],
      ['storage', 'ready'],
      ['backup', 'missing'],
      ['retention', 'missing', 'RETENTION_DAYS'],
      ['second-factors', 'missing', 'MFA_REQUIRED_ROLES'],
      ['versions', 'ready'],
    ]);
    expect(parts.versions).toMatchObject({ node: process.versions.node, database: expect.stringMatching(/^1\d\./) });
    expect(parts.versions.migration).toMatch(/^\d{14}_\w+\.sql$/);
    expect(parts.storage.freeBytes).toBeGreaterThan(0);
  });

  test('With a hosted project it does not claim to know who needs a second factor', async () => {
    const hosted = await bootHosted(server, { MFA_REQUIRED_ROLES: 'admin' });
    try {
      const { 'second-factors': part } = await readParts(hosted, admin);
      expect(part).toMatchObject({ state: 'ready', lacks: [], roles: null });
    } finally {
      await hosted.stop();
    }
  });

  test('A hosted project without its service key sends no mail and erases nothing, and promises neither', async () => {
    const given = { SMTP_URL: 'smtp://127.0.0.1:9', RETENTION_DAYS: '30' };
    for (const key of [undefined, server.backend.keys.secretKey]) {
      const hosted = await bootHosted(server, { ...given, ...(key && { SUPABASE_SERVICE_KEY: key }) });
      try {
        const lacks = key === undefined ? ['SUPABASE_SERVICE_KEY'] : [];
        expect(await readParts(hosted, admin)).toMatchObject({ mail: { lacks }, retention: { lacks, days: 30 } });
        const config = (await (await fetch(`${hosted.url}/config.json`)).json()) as AppConfig;
        expect(config).toMatchObject({ deskMails: key !== undefined, mailServer: true, accountMails: true });
        expect(config.retentionDays).toBe(key && 30);
        const { body } = await ask(hosted, admin, ['GET', `${DESK_PATH}/retention`]);
        expect(body, 'the desk offers no erasure that is refused').toMatchObject({
          days: config.retentionDays ?? null,
        });
      } finally {
        await hosted.stop();
      }
    }
  });

  test('Without a mail server it says so to the browser, which then promises no mail', async () => {
    expect(await (await fetch(`${server.url}/config.json`)).json()).toMatchObject({
      deskMails: true,
      mailServer: false,
      accountMails: false,
    });
  });

  test('Checks nothing that is not configured, and no part that does not exist', async () => {
    for (const part of ['address', 'mail', 'language-model', 'voice', 'backup', 'retention']) {
      expect([part, await check(server, admin, part)]).toMatchObject([
        part,
        { status: 409, body: { error: { code: 'not_configured' } } },
      ]);
    }
    for (const part of ['nothing', 'versions', '..%2Fparts']) {
      expect(await check(server, admin, part)).toMatchObject({
        status: 404,
        body: { error: { code: 'unknown_part' } },
      });
    }
  });

  test('Writes, reads and removes a file, and leaves none', async () => {
    expect((await check(server, admin, 'storage')).body).toMatchObject({ code: null, findings: { bytes: 1_024 } });
    const { data } = await server.service().storage.from('Media').list('setup-check');
    expect(data).toEqual([]);
    expect((await readParts(server, admin)).storage).toMatchObject({ state: 'ready', check: { code: null } });
  });

  test('Shows the last backup, and that a later one failed', async () => {
    const file = path.join(server.dataDir, 'nacht.tar');
    await writeFile(file, Buffer.alloc(3_000));
    const manifest = { files: { count: 1, bytes: 1, missing: 0, missingNames: [] } };
    await recordBackup(server.dataDir, file, manifest as never);
    expect((await readParts(server, admin)).backup).toMatchObject({
      state: 'ready',
      last: { result: 'done', file: 'nacht.tar', bytes: 3_000 },
      failed: null,
    });
    await recordFailedBackup(server.dataDir, 'disk_full');
    expect((await readParts(server, admin)).backup).toMatchObject({
      state: 'broken',
      last: { file: 'nacht.tar' },
      failed: { code: 'disk_full' },
    });
  });

  test('Checks that the last backup is whole, was moved, or is damaged (0335)', async () => {
    const person = await createUser(server, { role: 'admin' });
    const tryBackup = async () => (await check(server, person, 'backup')).body;
    const file = path.join(server.dataDir, 'ganz.tar');
    const env = { DATA_DIR: server.dataDir, DATABASE_URL: server.databaseUrl };
    await recordBackup(server.dataDir, file, await backUp(env, file));
    expect(await tryBackup()).toMatchObject({ code: null, findings: { files: 0, bytes: expect.any(Number) } });
    const parts = await readParts(server, person);
    expect(parts.backup).toMatchObject({ state: 'ready', check: { code: null } });
    expect(JSON.stringify(parts)).not.toContain(file);
    await truncate(file, 2_000);
    expect(await tryBackup()).toMatchObject({ code: 'backup_damaged', reason: 'truncated' });
    expect((await readParts(server, person)).backup.state).toBe('broken');
    await rm(file);
    expect(await tryBackup()).toMatchObject({ code: null, findings: { moved: true } });
  });

  test('Counts administrators without a second factor (0335)', async () => {
    const person = await createUser(server, { role: 'admin' });
    const answer = (await check(server, person, 'second-factors')).body;
    const { findings } = PartCheckSchema.parse(answer);
    expect(findings.administrators).toBeGreaterThan(0);
    expect(findings.withoutFactor).toBe(findings.administrators);
    await addFactor(person);
    const after = PartCheckSchema.parse((await check(server, person, 'second-factors')).body).findings;
    expect(after.withoutFactor).toBe((findings.withoutFactor ?? 0) - 1);
    // Who is locked signs in with nothing.
    const locked = await createUser(server, { role: 'admin' });
    await server.service().auth.admin.updateUserById(locked.id, { ban_duration: '1h' });
    expect(PartCheckSchema.parse((await check(server, person, 'second-factors')).body).findings).toEqual(after);
  });

  test('Limits the checks of one administrator, not those of another', async () => {
    const busy = await createUser(server, { role: 'admin' });
    const answers = [await check(server, busy, 'storage')];
    // Each takes less time than it takes for one more to be allowed, so there is an end to them.
    while (answers.at(-1)?.status === 200) answers.push(await check(server, busy, 'storage'));
    expect(answers.length).toBeGreaterThan(10);
    expect(answers.at(-1)?.status).toBe(429);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeLessThanOrEqual(6);
    expect((await check(server, admin, 'storage')).status).toBe(200);
  });
});

/** Known values; none of them may stand in an answer. */
const SECRETS = {
  mail: 'Geheim-Mail/7!',
  model: 'sk-geheim-modell-4711',
  voice: 'geheime-stimme-4711',
  transcription: 'geheime-abschrift-4711',
} as const;

describe('A server with every service', () => {
  let server: TestServer;
  let admin: TestUser;
  let mail: SmtpServer;
  let services: SpeechServices;
  let front: Server;
  const script: { -readonly [Step in keyof SmtpScript]: SmtpScript[Step] } = {};
  let health: () => readonly [number, string] = () => [200, '{"status":"ok","database":"ok","storage":"ok"}'];
  const sockets = new WebSocketServer({ noServer: true });
  const proxy = { bodyBytes: Infinity, upgrades: true };
  beforeAll(async () => {
    mail = await startSmtpServer(
      { auth: () => script.auth?.(), recipient: () => script.recipient?.() },
      { auth: true },
    );
    services = await startSpeechServices();
    front = createServer(({ method, url, headers }, response) => {
      const [status, body] = health();
      if (url === '/health') response.writeHead(status, { location: 'http://169.254.169.254/' }).end(body);
      // A proxy that takes so much waits for all of it.
      else if (method === 'POST' && Number(headers['content-length']) <= proxy.bodyBytes) response.flushHeaders();
      else response.writeHead(method === 'POST' ? 413 : 404).end('<h1>Nein</h1>');
    });
    front.on('upgrade', (request, socket, head) => {
      if (proxy.upgrades) sockets.handleUpgrade(request, socket, head, (opened) => opened.close(4001));
      else socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    });
    await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
    server = await bootServer({
      ...services.env,
      LLM_URL: services.url,
      PUBLIC_URL: `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
      SMTP_URL: `smtp://mira:${encodeURIComponent(SECRETS.mail)}@127.0.0.1:${mail.port}`,
      MAIL_FROM: 'Beitrag <beitrag@firma.example>',
      LLM_KEY: SECRETS.model,
      TTS_KEY: SECRETS.voice,
      TRANSCRIPTION_KEY: SECRETS.transcription,
      RETENTION_DAYS: '365',
      MFA_REQUIRED_ROLES: 'vdi_admin',
    });
  });
  afterAll(async () => {
    await server.stop();
    await mail.stop();
    await services.stop();
    await stopServer(front);
  });
  /** A new one each, because the checks of one are limited. */
  const beAdmin = async (): Promise<void> => void (admin = await createUser(server, { role: 'admin' }));

  test('Sends a real mail to the own address, whatever the request names', async () => {
    await beAdmin();
    const answer = await check(server, admin, 'mail', { to: 'fremd@anderswo.example', host: '127.0.0.1:1' });
    expect(answer.body).toMatchObject({ code: null, findings: { recipient: admin.email } });
    expect(mail.received).toHaveLength(1);
    expect(mail.received[0]).toMatchObject({ recipient: admin.email, sender: 'beitrag@firma.example' });
    expect(mail.received[0]?.subject).toContain('Testmail');
    expect(mail.logins).toEqual([`mira:${SECRETS.mail}`]);
  });

  test('Tells a refused login with the server’s words, without the password that it repeats', async () => {
    await beAdmin();
    const login = Buffer.from(`\0mira\0${SECRETS.mail}`).toString('base64');
    script.auth = () => `535 5.7.8 Nein: ${SECRETS.mail} ${login} ${SECRETS.mail.toUpperCase()}`;
    const answer = await check(server, admin, 'mail');
    delete script.auth;
    expect(answer.body).toMatchObject({ code: 'login_refused', reason: '535 5.7.8 Nein: … … …' });
    expect((await readParts(server, admin)).mail).toMatchObject({ state: 'broken', check: { code: 'login_refused' } });
    expect((await check(server, admin, 'mail')).body).toMatchObject({ code: null });
    expect((await readParts(server, admin)).mail.state).toBe('ready');
  });

  test('Counts what the retention period would erase, and erases nothing (0335)', async () => {
    await beAdmin();
    const old = new Date(Date.now() - 400 * 86_400_000).toISOString();
    const id = await contribute(server, { createdAt: old });
    expect((await check(server, admin, 'retention')).body).toMatchObject({ code: null, findings: { due: 1 } });
    expect((await server.service().from('interviews').select('id').eq('id', id)).data).toEqual([{ id }]);
  });

  test('Tells a refused recipient', async () => {
    await beAdmin();
    script.recipient = () => '550 5.1.1 No such mailbox';
    expect((await check(server, admin, 'mail')).body).toMatchObject({
      code: 'recipient_refused',
      reason: '550 5.1.1 No such mailbox',
    });
    delete script.recipient;
  });

  test('Refuses a second check of a part while one runs, and another page sees that it does', async () => {
    await beAdmin();
    services.behaviour.llm = 'hang';
    const aborted = new AbortController();
    const token = (await admin.client.auth.getSession()).data.session?.access_token ?? '';
    const first = fetch(`${server.url}${SETUP_PARTS_PATH}/language-model/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      signal: aborted.signal,
    }).catch(() => undefined);
    await expect.poll(async () => (await readParts(server, admin))['language-model'].isChecking).toBe(true);
    // A page that is left ends nothing.
    aborted.abort();
    await first;
    expect(await check(server, admin, 'language-model')).toMatchObject({
      status: 409,
      body: { error: { code: 'check_running' } },
    });
    expect((await check(server, admin, 'voice')).status).toBe(200);
    services.behaviour.llm = 'works';
  });

  test('Asks the voice for a few words', async () => {
    await beAdmin();
    expect((await check(server, admin, 'voice')).body).toMatchObject({ code: null, findings: { audioSeconds: 0.3 } });
    services.behaviour.speech = { status: 401 };
    expect((await check(server, admin, 'voice')).body).toMatchObject({ code: 'key_refused', reason: 'HTTP 401' });
    services.behaviour.speech = 'works';
  });

  test('Reaches itself under its public address, follows no redirect, and knows another server', async () => {
    await beAdmin();
    expect((await check(server, admin, 'address')).body).toMatchObject({ code: null });
    health = () => [302, ''];
    expect((await check(server, admin, 'address')).body).toMatchObject({ code: 'other_server', reason: 'HTTP 302' });
    health = () => [200, '<h1>Willkommen</h1>'];
    expect((await check(server, admin, 'address')).body).toMatchObject({ code: 'other_server' });
  });

  test('Knows a proxy that refuses large requests, or WebSockets', async () => {
    await beAdmin();
    health = () => [200, '{"status":"ok","database":"ok","storage":"ok"}'];
    proxy.bodyBytes = 25 * 1024 * 1024 - 1;
    expect((await check(server, admin, 'address')).body).toMatchObject({ code: 'body_refused', reason: 'HTTP 413' });
    proxy.bodyBytes = Infinity;
    proxy.upgrades = false;
    expect((await check(server, admin, 'address')).body).toMatchObject({
      code: 'websocket_refused',
      reason: 'Unexpected server response: 404',
    });
    proxy.upgrades = true;
    expect((await check(server, admin, 'address')).body).toMatchObject({ code: null });
  });

  test('Shows no secret in any answer', async () => {
    await beAdmin();
    services.behaviour.speech = { status: 500 };
    const answers = [];
    for (const part of ['mail', 'voice', 'storage', 'address']) answers.push(await check(server, admin, part));
    answers.push(await ask(server, admin, ['GET', SETUP_PARTS_PATH]));
    services.behaviour.speech = 'works';
    const text = answers.map((answer) => answer.text).join('\n');
    expect(text).toContain('firma.example');
    for (const secret of [...Object.values(SECRETS), encodeURIComponent(SECRETS.mail), server.backend.keys.secretKey]) {
      expect([secret, text.includes(secret)]).toEqual([secret, false]);
    }
  });
});

describe('Language models and mail servers that do not work', () => {
  async function checkOnce(part: string, environment: Readonly<Record<string, string>>): Promise<unknown> {
    const server = await bootServer(environment);
    try {
      return (await check(server, await createUser(server, { role: 'admin' }), part)).body;
    } finally {
      await server.stop();
    }
  }

  test('Tells an unknown host, a closed port and a server that is no mail server', async () => {
    expect(await checkOnce('mail', { SMTP_URL: 'smtp://mail.invalid:2525' })).toMatchObject({ code: 'unknown_host' });
    const closed = await reservePort();
    expect(await checkOnce('mail', { SMTP_URL: `smtp://127.0.0.1:${closed.port}` })).toMatchObject({
      code: 'unreachable',
      reason: 'ECONNREFUSED',
    });
    await closed.release();
  });

  test('Asks the language model, and tells a refused key and a page instead of an answer', async () => {
    const services = await startSpeechServices();
    services.replies.push(['Ja, ', 'ich bin bereit.']);
    expect(await checkOnce('language-model', { LLM_URL: services.url })).toMatchObject({
      code: null,
      findings: { text: 'Ja, ich bin bereit.' },
    });
    services.behaviour.llm = { status: 401 };
    expect(await checkOnce('language-model', { LLM_URL: services.url })).toMatchObject({
      code: 'key_refused',
      reason: 'HTTP 401',
    });
    services.behaviour.llm = { status: 404 };
    expect(await checkOnce('language-model', { LLM_URL: services.url })).toMatchObject({ code: 'not_found' });
    await services.stop();
    expect(await checkOnce('language-model', { LLM_URL: services.url })).toMatchObject({
      code: 'unreachable',
      reason: 'ECONNREFUSED',
    });
  });
});
