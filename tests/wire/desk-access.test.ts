import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { archivePath, filePath, TicketSchema } from '#contract/desk-files.ts';
import { ROLES } from '#contract/roles.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootHosted, bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner, newKey } from '#tests/support/callers.ts';
import { deskApi, handIn, must, getToken, type Handed } from '#tests/support/desk-calls.ts';
import { findTraces } from '#tests/support/find-traces.ts';
import { acceptEveryType, signFor } from '#tests/support/storage.ts';

let server: TestServer;
let admin: TestUser;
let member: TestUser;
let handed: Handed;
const bytes = Buffer.from('0123456789'.repeat(1_000));

beforeAll(async () => {
  server = await bootServer({ RETENTION_DAYS: '30' });
  admin = await createUser(server, { role: 'admin' });
  member = await createUser(server, { role: 'firma_a' });
  await acceptEveryType(server);
  handed = await handIn(member, { files: [{ type: 'text/html', extension: 'html', bytes }] });
});
afterAll(() => server.stop());

const archive = (): string => archivePath(handed.id);
const file = (): string => filePath(handed.id, handed.files[0]?.id ?? 0);

/** Every call of the desk. What refuses refuses before it looks at anything. */
const CALLS = (): readonly (readonly [method: string, path: string, body?: object])[] => [
  ['POST', '/v1/desk/tickets', { path: archive() }],
  ['GET', archive()],
  ['GET', file()],
  ['GET', `${file()}/preview`],
  ['GET', `/v1/desk/people?email=${member.email}`],
  ['POST', '/v1/desk/exports', { email: member.email }],
  ['GET', '/v1/desk/exports/person'],
  ['POST', '/v1/desk/erasures', { contribution: handed.id }],
  ['POST', '/v1/desk/erasures', { email: member.email, account: true }],
  ['GET', '/v1/desk/erasures'],
  ['GET', '/v1/desk/retention'],
  ['POST', '/v1/desk/retention', { before: '2020-01-01T00:00:00Z' }],
];

test('One request to the desk or the accounts stays one request to the server', async () => {
  const seen: (string | undefined)[] = [];
  const note = ({ url }: IncomingMessage): number => seen.push(url);
  const call = await deskApi(server.url, admin);
  const paths = [`/v1/desk/people?email=${member.email}`, '/v1/desk/erasures', '/v1/accounts'];
  server.app.server.on('request', note);
  for (const path of paths) expect((await call('GET', path)).status).toBe(200);
  server.app.server.off('request', note);
  expect(seen).toEqual(paths);
});

async function expectRefusal(token: TestUser | string | undefined, wanted: object): Promise<void> {
  const call = await deskApi(server.url, token);
  for (const [method, path, body] of CALLS())
    expect([path, await call(method, path, body)]).toEqual([path, expect.objectContaining(wanted)]);
  const there = await must(admin.client.from('interviews').select('id').eq('id', handed.id));
  expect(there).toHaveLength(1);
}

describe('Desk: access for administrators only', () => {
  test.each(ROLES.filter((role) => role !== 'admin'))('Refuses %s on every route', async (role) => {
    await expectRefusal(await createUser(server, { role }), { status: 403, code: 'not_admin' });
  });

  test('Refuses an account without a role on every route', async () => {
    await expectRefusal(await createUser(server), { status: 403, code: 'not_admin' });
  });

  test('Refuses a token that merely claims the role', async () => {
    const person = await createUser(server, { role: 'vdi_admin' });
    const token = await signFor(server, { sub: person.id, user_role: 'admin', app_metadata: { role: 'admin' } });
    await expectRefusal(token, { status: 403 });
  });

  test('Refuses no token, a forged one, the public and the service key on every route', async () => {
    const forged = `${(await getToken(admin)).slice(0, -6)}AAAAAA`;
    const { publishableKey, secretKey } = server.backend.keys;
    for (const token of [undefined, forged, publishableKey, secretKey, newKey()]) {
      await expectRefusal(token, { status: 401, code: 'not_authenticated' });
    }
  });

  test('Refuses a revoked administrator and an ended session at once', async () => {
    const former = await createUser(server, { role: 'admin' });
    const token = await getToken(former);
    const call = await deskApi(server.url, token);
    expect((await call('GET', '/v1/desk/erasures')).status).toBe(200);
    await must(server.service().from('user_roles').update({ role: 'firma_b' }).eq('user_id', former.id));
    expect(await call('GET', '/v1/desk/erasures')).toMatchObject({ status: 403, code: 'not_admin' });
    await must(server.service().from('user_roles').update({ role: 'admin' }).eq('user_id', former.id));
    await former.client.auth.signOut();
    expect(await call('GET', archive())).toMatchObject({ status: 401, code: 'not_authenticated' });
  });

  test('Requires a second factor if the role does', async () => {
    const strict = await bootServer({ MFA_REQUIRED_ROLES: 'admin' });
    try {
      const call = await deskApi(strict.url, await createUser(strict, { role: 'admin' }));
      expect(await call('GET', '/v1/desk/erasures')).toMatchObject({ status: 403, code: 'second_factor_needed' });
    } finally {
      await strict.stop();
    }
  });

  test('Refuses invalid calls of the SQL functions and keeps erasure steps to the server', async () => {
    const forAdmins = {
      desk_dossier: { contribution: handed.id },
      desk_person: { email: member.email },
      desk_person_dossier: { email: member.email },
      desk_erase: { subject: { contribution: handed.id } },
      desk_erasures: {},
      desk_retention: { before: '2020-01-01' },
      desk_ticket_keep: { id: '00', sealed: '00' },
    };
    const erasure = '00000000-0000-4000-8000-000000000000';
    const forServers = {
      desk_retain: { before: '2020-01-01', by: admin.id },
      desk_retain_daily: { days: 1, before: '2020-01-01' },
      desk_erasure_claim: {},
      desk_erasure_release: { erasure },
      desk_erasure_next: { erasure },
      desk_erasure_finish: { erasure },
      desk_erasure_begin: { erasure, contribution: handed.id, mails: 0 },
      desk_erasure_rows: { contribution: handed.id },
      desk_erasure_letters: { contribution: handed.id },
      desk_erasure_begin_person: { erasure, mails: 0 },
      desk_erasure_person: { erasure },
      desk_erasure_forget: { erasure },
      desk_erasure_stragglers: {},
      desk_erasure_gone: {},
    };
    const refusal = async (client: TestUser['client'], name: string, values: object) =>
      (await client.rpc(name, values)).error?.code;
    for (const [name, values] of Object.entries({ ...forAdmins, ...forServers })) {
      for (const client of [server.client(), member.client])
        expect([name, await refusal(client, name, values)]).toEqual([name, '42501']);
    }
    for (const [name, values] of Object.entries(forServers))
      expect([name, await refusal(admin.client, name, values)]).toEqual([name, '42501']);
  });

  test('Refuses the same on a hosted project', async () => {
    const application = await bootHosted(server, { SUPABASE_SERVICE_KEY: server.backend.keys.secretKey });
    try {
      const call = await deskApi(application.url, member);
      for (const [method, path, body] of CALLS()) expect((await call(method, path, body)).code).toBe('not_admin');
    } finally {
      await application.stop();
    }
  });
});

describe('Desk: tickets', () => {
  async function ticketFor(path: string, person: TestUser = admin): Promise<string> {
    const answer = await (await deskApi(server.url, person))('POST', '/v1/desk/tickets', { path });
    expect(answer.status).toBe(200);
    return TicketSchema.shape.url.parse(answer.body && (answer.body as { url: unknown }).url);
  }

  test('Opens a plain link once', async () => {
    const link = await deskApi(server.url);
    const url = await ticketFor(archive());
    expect(url).toMatch(/^\/v1\/desk\/contributions\/\d+\/archive\?ticket=[\w-]{43}$/);
    expect((await link('GET', url)).status).toBe(200);
    expect(await link('GET', url)).toMatchObject({ status: 401, code: 'ticket_invalid' });
    const single = await link('GET', await ticketFor(file()));
    expect([single.status, single.bytes]).toEqual([200, bytes]);
  });

  test('Opens only its own path and is used up after any attempt', async () => {
    const link = await deskApi(server.url);
    const [, ticket] = (await ticketFor(archive())).split('?');
    expect(await link('GET', `${file()}?${ticket}`)).toMatchObject({ code: 'ticket_invalid' });
    expect(await link('GET', `${archive()}?${ticket}`)).toMatchObject({ code: 'ticket_invalid' });
    const other = (await ticketFor(archive())).split('?')[1];
    expect(await link('GET', `/v1/desk/exports/person?${other}`)).toMatchObject({ code: 'ticket_invalid' });
    expect(await link('GET', `${archive()}?ticket=`)).toMatchObject({ code: 'ticket_invalid' });
    expect(await link('GET', `/v1/desk/erasures?${ticket}`)).toMatchObject({ code: 'not_authenticated' });
  });

  test('Expires after a minute and stores neither ticket nor token in the clear', async () => {
    const url = await ticketFor(archive());
    const ticket = url.split('ticket=')[1] ?? '';
    expect(
      await findTraces({ databaseUrl: server.databaseUrl, folders: [server.dataDir] }, [ticket, await getToken(admin)]),
    ).toEqual([]);
    await asOwner(server.databaseUrl, async (client) => {
      const { rows } = await client.query<{ seconds: number }>(
        'select max(extract(epoch from expires_at - clock_timestamp()))::float as seconds from private.desk_tickets',
      );
      expect(rows[0]?.seconds).toBeLessThanOrEqual(60);
      await client.query('update private.desk_tickets set expires_at = clock_timestamp()');
    });
    expect(await (await deskApi(server.url))('GET', url)).toMatchObject({ code: 'ticket_invalid' });
  });

  test('Redeems a ticket on any server of the installation', async () => {
    const other = await bootServer({ DATABASE_URL: server.databaseUrl });
    try {
      const link = await deskApi(other.url);
      const url = await ticketFor(archive());
      expect((await link('GET', url)).status).toBe(200);
      expect(await (await deskApi(server.url))('GET', url)).toMatchObject({ code: 'ticket_invalid' });
    } finally {
      await other.stop();
    }
  });

  test('Refuses the ticket of a revoked administrator', async () => {
    const former = await createUser(server, { role: 'admin' });
    const url = await ticketFor(archive(), former);
    await must(server.service().from('user_roles').update({ role: 'vdi_admin' }).eq('user_id', former.id));
    expect(await (await deskApi(server.url))('GET', url)).toMatchObject({ status: 403, code: 'not_admin' });
  });

  test.each([
    '/v1/accounts',
    'https://anderswo.test/v1/desk/contributions/1/archive',
    '//anderswo.test/x',
    '/v1/desk/erasures',
    '/v1/desk/contributions/1/archive?x=1',
    '/v1/desk/contributions/1/../../../x',
    '/v1/desk/contributions/0/archive',
    '',
  ])('Issues no ticket for %j', async (path) => {
    const answer = await (await deskApi(server.url, admin))('POST', '/v1/desk/tickets', { path });
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

describe('Desk: file download', () => {
  test('Sends every byte as an attachment with a readable name', async () => {
    const answer = await (await deskApi(server.url, admin))('GET', file());
    expect([answer.status, answer.bytes]).toEqual([200, bytes]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '10000',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'no-store',
      'accept-ranges': 'bytes',
      'content-disposition': expect.stringMatching(/^attachment; filename="\d+-\d+_Text_\d{4}-\d\d-\d\d\.html"/),
    });
  });

  test('Serves ranges', async () => {
    const call = await deskApi(server.url, admin);
    const part = await call('GET', file(), undefined, { range: 'bytes=10-14' });
    expect([part.status, part.bytes.toString()]).toEqual([206, '01234']);
    expect(part.headers.get('content-range')).toBe('bytes 10-14/10000');
    const stale = await call('GET', file(), undefined, { range: 'bytes=10-14', 'if-range': '"another"' });
    expect([stale.status, stale.bytes.length]).toEqual([200, 10_000]);
    expect((await call('GET', file(), undefined, { range: 'bytes=10000-' })).status).toBe(416);
  });

  test('Refuses files of another contribution and logs each download', async () => {
    const call = await deskApi(server.url, admin);
    const other = await handIn(member, {});
    const id = handed.files[0]?.id ?? 0;
    expect(await call('GET', filePath(other.id, id))).toMatchObject({ status: 404, code: 'file_not_found' });
    const reader = await createUser(server, { role: 'admin' });
    await (
      await deskApi(server.url, reader)
    )('GET', file());
    const log = await must(
      admin.client.from('desk_audit_log').select('what, interview_id, detail').eq('by', reader.id),
    );
    expect(log).toEqual([{ what: 'file', interview_id: handed.id, detail: { file: id } }]);
  });

  test('Distinguishes a lost file from an unknown one', async () => {
    const { id, files } = await handIn(member, { files: [{ type: 'text/plain', extension: 'txt', bytes }] });
    await must(
      server
        .service()
        .storage.from('Media')
        .remove([files[0]?.path ?? '']),
    );
    const answer = await (await deskApi(server.url, admin))('GET', filePath(id, files[0]?.id ?? 0));
    expect(answer).toMatchObject({ status: 410, code: 'file_missing' });
  });
});
