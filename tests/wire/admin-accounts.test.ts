import { randomUUID } from 'node:crypto';
import { TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ROLES } from '#contract/roles.ts';
import { hasAdministrator } from '#server/accounts/directory.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { accountsApi, type AccountsApi } from '#tests/support/accounts-api.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { holdRows } from '#tests/support/held-rows.ts';
import { mailsIn } from '#tests/support/outbox.ts';

let server: TestServer;
let admin: TestUser;
let asAdmin: AccountsApi;

beforeAll(async () => {
  server = await bootServer();
  admin = await createUser(server, { role: 'admin' });
  asAdmin = await accountsApi(server.url, admin);
});
afterAll(() => server.stop());

const someone = (): string => `${randomUUID()}@beispiel.test`;

const ROUTES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['GET', ''],
  ['POST', '', { email: 'neu@beispiel.test', role: 'admin', by: 'password' }],
  ['PATCH', '/:id', { role: 'admin' }],
  ['PATCH', '/:id', { locked: true }],
  ['DELETE', '/:id'],
  ['POST', '/:id/password'],
  ['POST', '/:id/invitation'],
  ['GET', '/:id/factors'],
  ['DELETE', '/:id/factors'],
];

describe('role × route (D14)', () => {
  const forbidden = [...ROLES.filter((role) => role !== 'admin'), undefined];
  for (const role of forbidden) {
    test(`${role ?? 'an account without a role'}: every route answers 403 and does nothing`, async () => {
      const person = await createUser(server, role === undefined ? {} : { role });
      const call = await accountsApi(server.url, person);
      for (const [method, path, body] of ROUTES) {
        const answer = await call(method, path.replace(':id', admin.id), body);
        expect([method, path, answer.status, answer.code]).toEqual([method, path, 403, 'not_admin']);
      }
      expect((await asAdmin('GET', `?search=${admin.email}`)).body.accounts).toMatchObject([
        { role: 'admin', status: 'active' },
      ]);
      expect((await asAdmin('GET', '?search=neu@beispiel.test')).body.total).toBe(0);
    });
  }

  test('anybody without a valid token: every route answers 401', async () => {
    const token = (await admin.client.auth.getSession()).data.session?.access_token ?? '';
    const bearers = [undefined, server.backend.keys.publishableKey, `${token.slice(0, -8)}AAAAAAAA`, 'x'];
    for (const bearer of bearers) {
      const call = await accountsApi(server.url, bearer);
      for (const [method, path, body] of ROUTES)
        expect(await call(method, path.replace(':id', admin.id), body)).toMatchObject({
          status: 401,
          code: 'not_authenticated',
        });
    }
  });

  test('the service key is no administrator: who acts must be a person', async () => {
    const call = await accountsApi(server.url, server.backend.keys.secretKey);
    expect(await call('GET')).toMatchObject({ status: 401, code: 'not_authenticated' });
  });

  test('a token whose session is over is not enough, though it has not run out', async () => {
    const other = await createUser(server, { role: 'admin' });
    const call = await accountsApi(server.url, other);
    expect((await call('GET')).status).toBe(200);
    await other.client.auth.signOut();
    expect(await call('GET')).toMatchObject({ status: 401, code: 'not_authenticated' });
  });

  test('an administrator who is demoted is none from the next call on', async () => {
    const other = await createUser(server, { role: 'admin' });
    const call = await accountsApi(server.url, other);
    expect((await asAdmin('PATCH', `/${other.id}`, { role: 'firma_a' })).status).toBe(200);
    expect(await call('GET')).toMatchObject({ status: 403, code: 'not_admin' });
  });

  test('no answer holds the service key', async () => {
    const answers = [
      await asAdmin('GET'),
      await asAdmin('GET', '?page=x'),
      await (await accountsApi(server.url))('GET'),
    ];
    for (const { text } of answers) expect(text).not.toContain(server.backend.keys.secretKey);
  });
});

describe('making accounts (D14)', () => {
  test('with a password: told once, good for the login, role set', async () => {
    const email = someone();
    const made = await asAdmin('POST', '', { email: ` ${email.toUpperCase()} `, role: 'firma_b', by: 'password' });
    expect(made).toMatchObject({ status: 201, body: { account: { email, role: 'firma_b', status: 'active' } } });
    const password = made.body.password ?? '';
    const client = server.client();
    expect((await client.auth.signInWithPassword({ email, password })).error).toBeNull();
    expect((await client.from('user_roles').select('role').single()).data).toEqual({ role: 'firma_b' });
    expect((await asAdmin('GET', `?search=${email}`)).text).not.toContain(password);
  });

  test('by invitation: a mail goes out, nobody can sign in before it is accepted', async () => {
    const email = someone();
    const made = await asAdmin('POST', '', { email, role: 'testnormec', by: 'invite' });
    expect(made.status).toBe(201);
    expect(made.body.password).toBeUndefined();
    expect(made.body.account).toMatchObject({ status: 'invited', role: 'testnormec', lastSignInAt: null });
    const mails = (await mailsIn(server.dataDir)).filter(({ to }) => to === email);
    expect(mails).toMatchObject([{ subject: 'Du bist eingeladen' }]);
    const link = new URL(mails[0]?.link ?? '');
    expect(new URL(link.searchParams.get('redirect_to') ?? '').pathname).toBe('/passwort-neu');
    const again = await asAdmin('POST', `/${made.body.account?.id}/invitation`);
    expect(again.status).toBe(200);
    expect((await mailsIn(server.dataDir)).filter(({ to }) => to === email)).toHaveLength(2);
  });

  test('who has come already is not invited again', async () => {
    const person = await createUser(server, { role: 'firma_a' });
    expect(await asAdmin('POST', `/${person.id}/invitation`)).toMatchObject({ status: 409, code: 'already_signed_in' });
  });

  test('an address that is taken is refused in both ways', async () => {
    const { email } = await createUser(server, { role: 'firma_a' });
    for (const by of ['password', 'invite'])
      expect(await asAdmin('POST', '', { email, role: 'admin', by })).toMatchObject({
        status: 409,
        code: 'email_exists',
      });
    expect((await asAdmin('GET', `?search=${email}`)).body.accounts).toMatchObject([{ role: 'firma_a' }]);
  });

  test('two who invite one address: the first role stays, and the first link opens', async () => {
    const email = someone();
    const invite = (role: string) => asAdmin('POST', '', { email, role, by: 'invite' });
    const answers = [await invite('testnormec'), await invite('admin')];
    expect(answers).toMatchObject([{ status: 201 }, { status: 409, code: 'email_exists' }]);
    expect((await asAdmin('GET', `?search=${email}`)).body.accounts).toMatchObject([{ role: 'testnormec' }]);
    expect((await mailsIn(server.dataDir)).filter(({ to }) => to === email)).toHaveLength(1);
  });

  test('bodies that are not understood are refused', async () => {
    const bodies = [
      '{',
      '"x"',
      {},
      { email: 'x', role: 'firma_a', by: 'password' },
      { email: someone(), role: 'king', by: 'password' },
      { email: someone(), role: 'firma_a', by: 'pigeon' },
      { email: someone(), role: 'firma_a', by: 'password', is_super_admin: true },
    ];
    for (const body of bodies)
      expect(await asAdmin('POST', '', body)).toMatchObject({ status: 400, code: 'invalid_request' });
    for (const body of [{}, { role: 'king' }, { locked: 'yes' }, { role: 'admin', locked: true }])
      expect(await asAdmin('PATCH', `/${randomUUID()}`, body)).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(await asAdmin('GET', '?page=0')).toMatchObject({ status: 400, code: 'invalid_request' });
  });
});

describe('changing accounts (D14)', () => {
  test('a role counts at once, also for who is signed in', async () => {
    const person = await createUser(server, { role: 'firma_a' });
    const answer = await asAdmin('PATCH', `/${person.id}`, { role: 'firma_b' });
    expect(answer).toMatchObject({ status: 200, body: { account: { role: 'firma_b' } } });
    expect((await person.client.from('user_roles').select('role')).data).toEqual([{ role: 'firma_b' }]);
  });

  test('who had no role gets one', async () => {
    const person = await createUser(server);
    expect(await asAdmin('PATCH', `/${person.id}`, { role: 'vdi_admin' })).toMatchObject({
      body: { account: { role: 'vdi_admin' } },
    });
  });

  test('banned: neither login nor refresh; unbanned: both again', async () => {
    const person = await createUser(server, { role: 'firma_a' });
    const { email, password } = person;
    expect(await asAdmin('PATCH', `/${person.id}`, { locked: true })).toMatchObject({
      body: { account: { status: 'locked' } },
    });
    expect((await server.client().auth.signInWithPassword({ email, password })).error?.code).toBe('user_banned');
    expect((await person.client.auth.refreshSession()).error?.code).toBe('user_banned');
    expect(await asAdmin('PATCH', `/${person.id}`, { locked: false })).toMatchObject({
      body: { account: { status: 'active' } },
    });
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  test('a new password ends the old one and every session', async () => {
    const person = await createUser(server, { role: 'firma_a' });
    const { password = '' } = (await asAdmin('POST', `/${person.id}/password`)).body;
    const { email } = person;
    expect((await server.client().auth.signInWithPassword({ email, password: person.password })).error?.code).toBe(
      'invalid_credentials',
    );
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
    expect((await person.client.auth.refreshSession()).error).not.toBeNull();
  });

  test('removed: account and role are gone, what the person handed in stays', async () => {
    const person = await createUser(server, { role: 'firma_a' });
    const made = await person.client.from('interviews').insert({ transcript: 'Bleibt' }).select('id').single();
    expect((await asAdmin('DELETE', `/${person.id}`)).status).toBe(204);
    expect((await asAdmin('GET', `?search=${person.email}`)).body.total).toBe(0);
    expect((await server.service().from('user_roles').select().eq('user_id', person.id)).data).toEqual([]);
    const { data } = await server
      .service()
      .from('interviews')
      .select('user_id, transcript')
      .eq('id', made.data?.id)
      .single();
    expect(data).toEqual({ user_id: null, transcript: 'Bleibt' });
  });

  test('an administrator whose removal fails keeps the role', async () => {
    const person = await createUser(server, { role: 'admin' });
    await asOwner(server.databaseUrl, (client) =>
      client.query(`
        create function private.refuse_removal() returns trigger language plpgsql as 'begin raise ''refused''; end';
        create trigger refuse_removal before delete on auth.users for each row when (old.id = '${person.id}')
        execute function private.refuse_removal()`),
    );
    expect(await asAdmin('DELETE', `/${person.id}`)).toMatchObject({ status: 502, code: 'backend_failed' });
    await asOwner(server.databaseUrl, (client) => client.query('drop function private.refuse_removal cascade'));
    expect((await asAdmin('GET', `?search=${person.email}`)).body.accounts).toMatchObject([{ role: 'admin' }]);
  });

  test('a lost second factor: listed, removed, noted; the password alone opens the account again', async () => {
    const person = await createUser(server, { role: 'firma_a' });
    expect(await asAdmin('GET', `/${person.id}/factors`)).toMatchObject({ status: 200, body: { factors: [] } });
    const { mfa } = person.client.auth;
    const { data } = await mfa.enroll({ factorType: 'totp', friendlyName: 'App' });
    if (data === null) throw new Error('not enrolled');
    expect((await asAdmin('GET', `/${person.id}/factors`)).body, 'not before it was confirmed').toEqual({
      factors: [],
    });
    await mfa.challengeAndVerify({ factorId: data.id, code: new TOTP({ secret: data.totp.secret }).generate() });
    expect((await asAdmin('GET', `/${person.id}/factors`)).body).toEqual({
      factors: [{ kind: 'app', createdAt: expect.any(String) }],
    });
    expect((await asAdmin('DELETE', `/${person.id}/factors`)).status).toBe(204);
    expect((await asAdmin('GET', `/${person.id}/factors`)).body).toEqual({ factors: [] });
    const entered = await server.client().auth.signInWithPassword(person);
    expect(entered.data.user?.factors ?? []).toEqual([]);
    const noted = await asOwner(server.databaseUrl, (client) =>
      client.query(
        `select payload -> 'traits' ->> 'factor_id' as id from auth.audit_log_entries
          where payload ->> 'action' = 'factor_deleted' and payload -> 'traits' ->> 'user_id' = $1`,
        [person.id],
      ),
    );
    expect(noted.rows).toEqual([{ id: data.id }]);
  });

  test('an account that is not there is 404 on every route', async () => {
    for (const [method, path, body] of ROUTES.filter(([, path]) => path.startsWith('/'))) {
      for (const id of [randomUUID(), 'x', '%00'])
        expect(await asAdmin(method, path.replace(':id', id), body)).toMatchObject({
          status: 404,
          code: 'account_not_found',
        });
    }
  });

  test('an account that another client deleted softly is in no list, is no account and no last administrator', async () => {
    const [kept, gone] = [await createUser(server, { role: 'admin' }), await createUser(server, { role: 'admin' })];
    await server.service().auth.admin.deleteUser(gone.id, true);
    const { total = 0, perPage = 1 } = (await asAdmin('GET', '')).body;
    const ids: string[] = [];
    for (let page = 1; page <= Math.ceil(total / perPage); page += 1) {
      ids.push(...((await asAdmin('GET', `?page=${page}`)).body.accounts ?? []).map(({ id }) => id));
    }
    expect([ids.includes(kept.id), ids.includes(gone.id)]).toEqual([true, false]);
    for (const [method, path, body] of ROUTES.filter(([, path]) => path.startsWith('/') && !path.endsWith('factors')))
      expect(await asAdmin(method, path.replace(':id', gone.id), body)).toMatchObject({ status: 404 });
    await asOwner(server.databaseUrl, (client) =>
      client.query(`delete from public.user_roles where role = 'admin' and user_id <> all($1)`, [[admin.id, gone.id]]),
    );
    expect(await hasAdministrator(server.service())).toBe(true);
    await asOwner(server.databaseUrl, (client) =>
      client.query('delete from public.user_roles where user_id = $1', [admin.id]),
    );
    expect(await hasAdministrator(server.service())).toBe(false);
    await server.service().from('user_roles').upsert({ user_id: admin.id, role: 'admin' });
  });
});

describe('self-protection', () => {
  test('nobody bans, removes, demotes or renews the own account', async () => {
    for (const [method, path, body] of [
      ['PATCH', '', { locked: true }],
      ['PATCH', '', { role: 'firma_a' }],
      ['DELETE', ''],
      ['POST', '/password'],
      ['DELETE', '/factors'],
    ] as const)
      expect(await asAdmin(method, `/${admin.id}${path}`, body)).toMatchObject({ status: 409, code: 'own_account' });
    expect(await asAdmin('PATCH', `/${admin.id.toUpperCase()}`, { locked: true })).toMatchObject({
      code: 'own_account',
    });
  });

  test('two who demote, ban or remove each other at the same moment: one is left', async () => {
    const attacks = [
      ['PATCH', { role: 'firma_a' }],
      ['PATCH', { locked: true }],
      ['DELETE', undefined],
    ] as const;
    for (const [method, body] of attacks) {
      const [a, b] = [await createUser(server, { role: 'admin' }), await createUser(server, { role: 'admin' })];
      const [asA, asB] = [await accountsApi(server.url, a), await accountsApi(server.url, b)];
      const answers = await Promise.all([asA(method, `/${b.id}`, body), asB(method, `/${a.id}`, body)]);
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    }
  });
});

describe('the list', () => {
  test('pages beyond 50, searches, and says how many there are', async () => {
    const tag = randomUUID();
    const emails = Array.from({ length: 53 }, (_, index) => `${String(index).padStart(2, '0')}-${tag}@beispiel.test`);
    for (const email of emails)
      await server.service().auth.admin.createUser({ email, password: `passwort-${tag}`, email_confirm: true });
    const first = (await asAdmin('GET', `?search=${tag.toUpperCase()}`)).body;
    expect(first).toMatchObject({ total: 53, page: 1, perPage: 50 });
    expect(first.accounts?.map(({ email }) => email)).toEqual(emails.slice(0, 50));
    const second = (await asAdmin('GET', `?search=${tag}&page=2`)).body;
    expect(second.accounts?.map(({ email }) => email)).toEqual(emails.slice(50));
    expect((await asAdmin('GET', `?search=${tag}&page=9`)).body).toMatchObject({ page: 2 });
    expect((await asAdmin('GET', `?search=%25`)).body.total).toBe(0);
  });
});

test('An administrator whose role an erasure takes at this moment does not count as the one who stays (D14)', async () => {
  const own = await bootServer();
  onTestFinished(own.stop);
  const [banning, banned] = [await createUser(own, { role: 'admin' }), await createUser(own, { role: 'admin' })];
  const call = await accountsApi(own.url, banning);
  const erasure = await holdRows(own.backend.databaseUrl, 'public.user_roles where user_id', banning.id);
  await erasure.query(`update public.user_roles set role = 'vdi_admin' where user_id = $1`, [banning.id]);
  const change = call('PATCH', `/${banned.id}`, { locked: true });
  await Promise.race([erasure.waitFor(1), change]);
  await erasure.release();
  expect(await change).toMatchObject({ status: 409, code: 'last_admin' });
  expect(await hasAdministrator(own.service())).toBe(true);
});
