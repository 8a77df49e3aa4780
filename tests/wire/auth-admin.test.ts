import { hash } from '@node-rs/bcrypt';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { addPerson } from '#tests/support/people.ts';

let server: AuthBackend;
beforeAll(async () => {
  server = await bootAuthBackend();
});
afterAll(() => server.stop());

const admin = (): ReturnType<AuthBackend['service']>['auth']['admin'] => server.service().auth.admin;
const password = 'lang genug fuer hier';
const fresh = (): string => `${randomUUID()}@beispiel.test`;

describe('contract §1.3 permissions', () => {
  const routes = [
    ['GET', '/admin/users'],
    ['POST', '/admin/users'],
    ['GET', `/admin/users/${randomUUID()}`],
    ['PUT', `/admin/users/${randomUUID()}`],
    ['DELETE', `/admin/users/${randomUUID()}`],
    ['POST', '/invite'],
    ['POST', '/admin/generate_link'],
  ] as const;

  test.each(routes)('%s %s: refuses no key, the public key and a user', async (method, path) => {
    const { email, password: own } = await addPerson(server);
    const { data } = await server.client().auth.signInWithPassword({ email, password: own });
    const bearers = [server.backend.keys.publishableKey, data.session?.access_token ?? ''];
    const body = method === 'POST' || method === 'PUT' ? {} : undefined;
    const without = await server.call(method, path, body);
    expect([without.status, without.headers.get('x-sb-error-code')]).toEqual([401, 'no_authorization']);
    for (const bearer of bearers) {
      const response = await server.call(method, path, body, { authorization: `Bearer ${bearer}` });
      expect([response.status, ((await response.json()) as { msg: string }).msg]).toEqual([403, 'User not allowed']);
    }
  });
});

const BCRYPT = 'Invalid password hash: bcrypt is expected';

describe('contract §1.4 POST /admin/users', () => {
  test('makes a confirmed user with data, role and a given id', async () => {
    const [id, email] = [randomUUID(), fresh()];
    const { data, error } = await admin().createUser({
      id,
      email,
      password,
      email_confirm: true,
      user_metadata: { name: 'Ö' },
      app_metadata: { team: 7 },
      role: 'authenticated',
    });
    expect(error).toBeNull();
    expect(data.user).toMatchObject({
      id,
      email,
      email_confirmed_at: expect.any(String),
      user_metadata: { name: 'Ö', email_verified: true },
      app_metadata: { provider: 'email', providers: ['email'], team: 7 },
      identities: [{ id, provider: 'email', identity_data: { email, email_verified: false } }],
    });
  });

  test('takes a bcrypt hash instead of a password', async () => {
    const email = fresh();
    const password_hash = await hash(password, { cost: 4 });
    await admin().createUser({ email, password_hash, email_confirm: true });
    expect((await server.client().auth.signInWithPassword({ email, password })).error).toBeNull();
  });

  test('with a phone only', async () => {
    const { data } = await admin().createUser({ phone: '+49 170 1234567', phone_confirm: true });
    expect(data.user).toMatchObject({ phone: '491701234567', email: '', phone_confirmed_at: expect.any(String) });
    const again = await admin().createUser({ phone: '491701234567' });
    const message = 'Phone number already registered by another user';
    expect(again.error).toMatchObject({ status: 422, code: 'phone_exists', message });
  });

  test.each([
    [{}, 400, 'validation_failed', 'Cannot create a user without either an email or phone'],
    [{ email: 'keine' }, 400, 'validation_failed', 'Unable to validate email address: invalid format'],
    [{ phone: 'abc' }, 400, 'validation_failed', expect.any(String)],
    [{ email: fresh(), id: 'x' }, 400, 'validation_failed', 'ID must conform to the uuid v4 format'],
    [
      { email: fresh(), id: '00000000-0000-0000-0000-000000000000' },
      400,
      'validation_failed',
      'ID cannot be a nil uuid',
    ],
    [{ email: fresh(), password: 'kurz' }, 422, 'weak_password', expect.any(String)],
    [{ email: fresh(), password, password_hash: 'x' }, 400, 'validation_failed', expect.any(String)],
    [{ email: fresh(), password_hash: 'x' }, 400, 'validation_failed', expect.any(String)],
    [
      { email: fresh(), password_hash: '$argon2id$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$aGFzaA' },
      400,
      'validation_failed',
      BCRYPT,
    ],
    [
      { email: fresh(), password_hash: '$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw,sk=eA$c2FsdA$aGFzaA' },
      400,
      'validation_failed',
      BCRYPT,
    ],
    [{ email: fresh(), ban_duration: 'lange' }, 400, 'validation_failed', expect.any(String)],
    [{ email: fresh(), ban_duration: '99999999h' }, 400, 'validation_failed', expect.any(String)],
  ])('%j → %i %s', async (body, status, code, message) => {
    const { error } = await admin().createUser(body);
    expect(error).toMatchObject({ status, code, message });
  });

  test('an address that is taken, in any case of letters → 422 email_exists; ten at once make one', async () => {
    const email = fresh();
    const answers = await Promise.all(Array.from({ length: 10 }, () => admin().createUser({ email, password })));
    expect(answers.filter(({ error }) => error === null)).toHaveLength(1);
    expect(new Set(answers.flatMap(({ error }) => (error === null ? [] : [`${error.status} ${error.code}`])))).toEqual(
      new Set(['422 email_exists']),
    );
    expect((await admin().createUser({ email: email.toUpperCase() })).error?.code).toBe('email_exists');
  });

  test('an id that is taken is refused', async () => {
    const { id } = await addPerson(server);
    expect((await admin().createUser({ id, email: fresh() })).error).toMatchObject({ status: 422 });
  });
});

describe('contract §1.4 GET /admin/users', () => {
  test('pages with x-total-count and link as the client reads them', async () => {
    const own = await bootAuthBackend();
    for (let index = 0; index < 5; index += 1) {
      await own
        .service()
        .auth.admin.createUser({ email: `nr${index}@beispiel.test`, user_metadata: { full_name: `Person ${index}` } });
    }
    const list = own.service().auth.admin;
    const first = await list.listUsers({ page: 1, perPage: 2 });
    expect(first.data).toMatchObject({ total: 5, nextPage: 2, lastPage: 3, aud: 'authenticated' });
    expect(first.data.users.map(({ email }) => email)).toEqual(['nr4@beispiel.test', 'nr3@beispiel.test']);
    const last = await list.listUsers({ page: 3, perPage: 2 });
    expect(last.data).toMatchObject({ nextPage: null, total: 5, users: [{ email: 'nr0@beispiel.test' }] });
    const authorization = `Bearer ${own.backend.keys.secretKey}`;
    const ask = async (query: string): Promise<string[]> => {
      const response = await own.call('GET', `/admin/users?${query}`, undefined, { authorization });
      return ((await response.json()) as { users: { email: string }[] }).users.map(({ email }) => email);
    };
    expect(await ask('filter=NR3')).toEqual(['nr3@beispiel.test']);
    expect(await ask('filter=Person%204')).toEqual(['nr4@beispiel.test']);
    expect(await ask('filter=%25')).toEqual([]);
    expect((await ask('sort=email%20asc'))[0]).toBe('nr0@beispiel.test');
    await own.stop();
  });

  test('The link header repeats the whole query, and the last page of nothing is page 0', async () => {
    const full_name = `Ö ${randomUUID()}`;
    for (let index = 0; index < 3; index += 1)
      await admin().createUser({ email: fresh(), user_metadata: { full_name } });
    const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
    const readLink = async (query: string): Promise<[string, string][][]> => {
      const { headers: answered } = await server.call('GET', `/admin/users?${query}`, undefined, headers);
      const urls = [...(answered.get('link') ?? '').matchAll(/<([^>]+)>/g)].map(([, url]) => new URL(url ?? ''));
      return urls.map(({ searchParams }) => [...searchParams]);
    };
    const query = new URLSearchParams({ sort: 'created_at asc', filter: full_name, per_page: '2' });
    const rest = [
      ['per_page', '2'],
      ['sort', 'created_at asc'],
    ];
    expect(await readLink(String(query))).toEqual([
      [['filter', full_name], ['page', '2'], ...rest],
      [['filter', full_name], ['page', '2'], ...rest],
    ]);
    expect(await readLink(`filter=${randomUUID()}`)).toEqual([
      [
        ['filter', expect.any(String)],
        ['page', '0'],
      ],
    ]);
  });

  test.each(['page=0', 'page=x', 'per_page=-1', 'sort=encrypted_password', 'sort=email%20asc%3B%20drop', 'filter=%00'])(
    '?%s → 400',
    async (query) => {
      const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
      expect((await server.call('GET', `/admin/users?${query}`, undefined, headers)).status).toBe(400);
    },
  );
});

describe('contract §1.4 /admin/users/:id', () => {
  test('GET answers the user; 404 where there is none or no uuid', async () => {
    const { id, email } = await addPerson(server);
    expect((await admin().getUserById(id)).data.user?.email).toBe(email);
    expect((await admin().getUserById(randomUUID())).error).toMatchObject({ status: 404, code: 'user_not_found' });
    const headers = { authorization: `Bearer ${server.backend.keys.secretKey}` };
    const response = await server.call('GET', '/admin/users/keine-uuid', undefined, headers);
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ msg: 'user_id must be an UUID' }),
    ]);
  });

  test('PUT changes address, data and role at once', async () => {
    const { id } = await addPerson(server, { user_metadata: { a: 1, b: 2 } });
    const email = fresh();
    const { data } = await admin().updateUserById(id, {
      email,
      email_confirm: true,
      user_metadata: { a: null },
      app_metadata: { plan: 'x' },
      role: 'besonders',
    });
    expect(data.user).toMatchObject({
      email,
      role: 'besonders',
      user_metadata: { b: 2, email_verified: true },
      app_metadata: { plan: 'x', provider: 'email' },
      identities: [{ email }],
    });
    expect(data.user?.user_metadata).not.toHaveProperty('a');
  });

  test('an identity is verified by the flag beside its address or number, not by the confirmed account', async () => {
    const [{ id }, phone] = [await addPerson(server), `49170${String(Date.now()).slice(-7)}`];
    const flags = async (change: object): Promise<unknown[]> => {
      const { data } = await admin().updateUserById(id, change);
      expect(data.user).toMatchObject({ email_confirmed_at: expect.any(String) });
      return (data.user?.identities ?? []).map((identity) => [
        identity.identity_data?.['email_verified'],
        identity.identity_data?.['phone_verified'],
      ]);
    };
    const email = fresh();
    expect(await flags({ email_confirm: true })).toEqual([[false, false]]);
    expect(await flags({ email, email_confirm: true })).toEqual([[true, false]]);
    expect(await flags({ email })).toEqual([[false, false]]);
    expect(await flags({ phone, phone_confirm: true })).toEqual([
      [false, false],
      [false, true],
    ]);
    expect(await flags({ phone })).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  test('PUT with a password ends every session; with a taken address nothing happens', async () => {
    const { id, email, password: old } = await addPerson(server);
    const client = server.client();
    await client.auth.signInWithPassword({ email, password: old });
    await admin().updateUserById(id, { password });
    expect((await client.auth.getUser()).error).not.toBeNull();
    const other = await addPerson(server);
    expect((await admin().updateUserById(id, { email: other.email })).error).toMatchObject({
      status: 422,
      code: 'email_exists',
    });
    for (const weak of ['kurz', '']) {
      expect((await admin().updateUserById(id, { password: weak })).error?.code).toBe('weak_password');
    }
  });

  test('ban_duration bans for that time, none lifts it', async () => {
    const { id, email, password: own } = await addPerson(server);
    const banned = await admin().updateUserById(id, { ban_duration: '1h30m' });
    const until = new Date(banned.data.user?.banned_until ?? 0).getTime();
    expect(until - Date.now()).toBeGreaterThan(5_000_000);
    expect((await server.client().auth.signInWithPassword({ email, password: own })).error?.code).toBe('user_banned');
    const lifted = await admin().updateUserById(id, { ban_duration: 'none' });
    expect(lifted.data.user).not.toHaveProperty('banned_until');
    expect((await server.client().auth.signInWithPassword({ email, password: own })).error).toBeNull();
  });

  test('DELETE removes the user, sessions and identities; a second time 404', async () => {
    const { id } = await addPerson(server);
    expect((await admin().deleteUser(id)).error).toBeNull();
    expect(await server.sql('select 1 from auth.identities where user_id = $1', [id])).toEqual([]);
    expect((await admin().deleteUser(id)).error).toMatchObject({ status: 404, code: 'user_not_found' });
  });

  test('A soft DELETE keeps a row without personal data and frees the address', async () => {
    const { id, email, password: own } = await addPerson(server, { user_metadata: { name: 'Geheim' } });
    await admin().deleteUser(id, true);
    const [row] = await server.sql('select *, now() as now from auth.users where id = $1', [id]);
    expect(row?.['deleted_at']).toBeInstanceOf(Date);
    expect(JSON.stringify(row)).not.toMatch(new RegExp(`${email}|Geheim`));
    expect((await server.client().auth.signInWithPassword({ email, password: own })).error?.code).toBe(
      'invalid_credentials',
    );
    expect((await admin().createUser({ email })).error).toBeNull();
  });

  test('A user deleted softly is still read and listed, with deleted_at, and goes with a second DELETE', async () => {
    const { id, email, password: own } = await addPerson(server);
    await admin().deleteUser(id, true);
    const { data } = await admin().getUserById(id);
    expect(data.user).toMatchObject({ id, deleted_at: expect.any(String), user_metadata: {}, identities: [] });
    expect((await admin().listUsers()).data.users.find((user) => user.id === id)?.deleted_at).toBeDefined();
    expect((await admin().mfa.listFactors({ userId: id })).data?.factors).toEqual([]);
    const again = await admin().deleteUser(id, true);
    expect([again.error, (await admin().getUserById(id)).data.user]).toEqual([null, data.user]);
    // No change wakes the account, which would take its address away from others.
    expect((await admin().updateUserById(id, { email, password: own })).error?.code).toBe('user_not_found');
    expect((await admin().deleteUser(id)).error).toBeNull();
    expect((await admin().getUserById(id)).error?.code).toBe('user_not_found');
  });

  test('DELETE of a referenced user → 409, nothing is lost', async () => {
    const { id } = await addPerson(server);
    await server.sql('create table if not exists public.anchors (user_id uuid references auth.users (id))');
    await server.sql('insert into public.anchors values ($1)', [id]);
    expect((await admin().deleteUser(id)).error).toMatchObject({ status: 409, code: 'conflict' });
    expect((await admin().getUserById(id)).error).toBeNull();
  });
});
