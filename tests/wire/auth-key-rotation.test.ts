import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listKeysInUse, rotateSigningKey, withdrawKey } from '#backend/index.ts';
import { bootAuthBackend, type AuthBackend } from '#tests/support/auth-backend.ts';
import { lockFolder } from '#server/data-folder.ts';
import { runFile } from '#tests/support/processes.ts';
import { enter, enterWithApp, proveApp } from '#tests/support/second-factors.ts';

const MINUTE = 60_000;
const LIFETIME_S = 3_600;

/** Two servers on one database, each with a clock of its own. */
let one: AuthBackend;
let two: AuthBackend;
beforeAll(async () => {
  one = await bootAuthBackend({ clock: 'frozen' });
  two = await bootAuthBackend({ clock: 'frozen', databaseUrl: one.backend.databaseUrl });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});
beforeEach(() => pass(2 * MINUTE));

function pass(ms: number): void {
  for (const server of [one, two]) server.advance(ms);
}

const rotate = (): Promise<unknown> =>
  rotateSigningKey(one.backend.database, { now: one.now(), tokenLifetimeS: LIFETIME_S });
const getKid = (token: string): string => decodeProtectedHeader(token).kid ?? '';
const getToken = async (server: AuthBackend): Promise<string> => (await enter(server)).session.access_token;

async function getStatus(server: AuthBackend, token: string): Promise<number> {
  return (await server.call('GET', '/user', undefined, { authorization: `Bearer ${token}` })).status;
}

async function publishedBy(server: AuthBackend): Promise<string[]> {
  const { keys } = (await (await server.call('GET', '/.well-known/jwks.json')).json()) as {
    keys: { kid: string; d?: string }[];
  };
  expect(keys.every((key) => key.d === undefined)).toBe(true);
  return keys.map(({ kid }) => kid);
}

describe('decision 0064 jwks with key rotation', () => {
  test('the new key signs, the old one still counts; both servers list both; the official client checks both itself', async () => {
    const before = await getToken(one);
    await rotate();
    pass(MINUTE);
    const after = await getToken(one);
    expect(getKid(after)).not.toBe(getKid(before));
    for (const server of [one, two]) {
      expect(await publishedBy(server)).toEqual(expect.arrayContaining([getKid(after), getKid(before)]));
      expect([await getStatus(server, before), await getStatus(server, after)]).toEqual([200, 200]);
      for (const token of [before, after]) {
        const { data, error } = await server.client().auth.getClaims(token);
        expect([error, data?.header.kid]).toEqual([null, getKid(token)]);
      }
    }
  });

  test('a server that has not noticed yet accepts the new key at once, and signs with it within a minute', async () => {
    const old = getKid(await getToken(two));
    await rotate();
    one.advance(MINUTE);
    two.advance(2_000);
    const fresh = await getToken(one);
    expect(getKid(fresh)).not.toBe(old);
    expect(await getStatus(two, fresh)).toBe(200);
    two.advance(MINUTE);
    expect(getKid(await getToken(two))).toBe(getKid(fresh));
  });

  test('a server that has just looked accepts the new key as well', async () => {
    const old = getKid(await getToken(two));
    await rotate();
    one.advance(MINUTE);
    const fresh = await getToken(one);
    expect(getKid(fresh)).not.toBe(old);
    expect(await Promise.all([getStatus(two, fresh), getStatus(two, fresh)])).toEqual([200, 200]);
  });

  test('a server whose clock was set back notices the new key', async () => {
    await getToken(two);
    two.advance(-60 * MINUTE);
    await rotate();
    const [signing] = await listKeysInUse(one.backend.database, one.now());
    expect(await publishedBy(two)).toContain(signing?.id);
    two.advance(60 * MINUTE);
  });

  test('when the last token of the old key has ended, the key goes', async () => {
    const before = await getToken(one);
    await rotate();
    pass(LIFETIME_S * 1_000 + 14 * MINUTE);
    expect(await publishedBy(one)).toContain(getKid(before));
    pass(2 * MINUTE);
    for (const server of [one, two]) {
      expect(await publishedBy(server)).not.toContain(getKid(before));
      expect(await getStatus(server, before)).toBe(403);
    }
    expect((await listKeysInUse(one.backend.database, one.now())).map(({ id }) => id)).not.toContain(getKid(before));
  });

  test('sessions survive: refreshing brings a token of the new key', async () => {
    const { client, session } = await enter(one);
    await rotate();
    pass(MINUTE);
    const { data, error } = await client.auth.refreshSession();
    expect(error).toBeNull();
    expect(getKid(data.session?.access_token ?? '')).not.toBe(getKid(session.access_token));
  });

  test('a withdrawn key counts no more within a minute, also at the data; the one that signs is replaced', async () => {
    const { client, session } = await enter(one);
    expect((await client.from('interviews').select('id')).error).toBeNull();
    await withdrawKey(one.backend.database, getKid(session.access_token));
    pass(MINUTE);
    for (const server of [one, two]) expect(await getStatus(server, session.access_token)).toBe(403);
    expect((await client.from('interviews').select('id')).error?.code).toBe('PGRST301');
    expect((await client.auth.refreshSession()).error).toBeNull();
    expect((await client.from('interviews').select('id')).error).toBeNull();
  });

  test('the private half of a replaced key is kept nowhere', async () => {
    await rotate();
    const [row] = await one.sql(`select value -> 'earlier' as earlier from _backend.secrets where name = 'keys'`);
    expect(JSON.stringify(row)).not.toContain('"d":');
  });

  test('two rotations at once: both count', async () => {
    const before = (await listKeysInUse(one.backend.database, one.now())).length;
    await Promise.all([rotate(), rotate()]);
    expect(await listKeysInUse(one.backend.database, one.now())).toHaveLength(before + 2);
  });
});

test('Once others have read the database nothing signed or handed out before counts; apps stay (decision 0416)', async () => {
  const old = await bootAuthBackend();
  const { databaseUrl } = old.backend;
  const { session, app, ...person } = await enterWithApp(old);
  const box = old.service().storage.from('Media');
  await box.upload('1/a.txt', 'Text', { contentType: 'text/plain' });
  const { data: signed } = await box.createSignedUrl('1/a.txt', 3_600);
  const replace = () =>
    runFile('src/server/keys/cli.ts', ['replace'], { DATABASE_URL: databaseUrl, DATA_DIR: old.folder });
  const running = await lockFolder(old.folder);
  expect(await replace()).toMatchObject({ code: 1, err: expect.stringContaining('arbeitet schon ein Server') });
  await running.release();
  const replaced = await replace();
  expect(replaced).toMatchObject({ code: 0, out: expect.stringMatching(/^\S+ {2}unterschreibt\n$/) });
  const fresh = await bootAuthBackend({ databaseUrl });
  const askAsService = async ({ backend }: AuthBackend): Promise<number> => {
    const { secretKey: apikey } = backend.keys;
    return (await fresh.call('GET', '/admin/users', undefined, { apikey, authorization: `Bearer ${apikey}` })).status;
  };
  expect([await askAsService(old), await askAsService(fresh)]).toEqual([403, 200]);
  expect(fresh.backend.keys.publishableKey).toBe(old.backend.keys.publishableKey);
  expect(await getStatus(fresh, session.access_token)).toBe(403);
  const refresh = { refresh_token: session.refresh_token };
  expect((await fresh.call('POST', '/token?grant_type=refresh_token', refresh)).status).toBe(400);
  const address = (signed?.signedUrl ?? '').replace(old.url, fresh.url);
  expect(await (await fetch(address)).json()).toMatchObject({ code: 'InvalidJWT' });
  const again = await enter(fresh, person);
  fresh.advance(MINUTE);
  await proveApp(fresh, again, app);
  await fresh.stop();
  await old.stop();
});

describe('npm run keys', () => {
  test('rotate, withdraw; unknown commands; a hosted project', async () => {
    const server = await bootAuthBackend();
    const keys = (env: Record<string, string>, ...args: string[]): ReturnType<typeof runFile> =>
      runFile('src/server/keys/cli.ts', args, {
        DATABASE_URL: server.backend.databaseUrl,
        DATA_DIR: server.folder,
        ...env,
      });
    const old = getKid(await getToken(server));
    const rotated = await keys({}, 'rotate');
    expect(rotated).toMatchObject({ code: 0, err: '' });
    const [, fresh = '', retired] =
      /^(\S+) {2}unterschreibt\n(\S+) {2}gilt noch bis \S+ \S+ \(UTC\)\n$/.exec(rotated.out) ?? [];
    expect(retired).toBe(old);
    await expect.poll(() => publishedBy(server)).toEqual([fresh, old]);
    expect((await keys({}, 'withdraw', old)).out).toBe(`${fresh}  unterschreibt\n`);
    await expect.poll(() => publishedBy(server)).toEqual([fresh]);
    expect(await keys({}, 'withdraw', 'keiner')).toMatchObject({ code: 1, err: 'Es gibt keinen Schlüssel keiner.\n' });
    expect(await keys({}, 'drehen')).toMatchObject({ code: 2, err: expect.stringContaining('npm run keys -- rotate') });
    const hosted = await keys({ SUPABASE_URL: 'http://127.0.0.1:9', SUPABASE_KEY: 'x' }, 'list');
    expect(hosted).toMatchObject({ code: 1, err: expect.stringContaining('gehosteten Projekts') });
    await server.stop();
  });
});
