import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, importJWK, SignJWT, type JWK } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';

/** A small project folder as the upstream command line makes it: its own keys, a shared secret, a table, a seed. */
const SECRET = 'a-shared-secret-of-at-least-32-characters';
let folder: string;
let server: TestServer;
let keys: { es: JWK; rs: JWK };

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-foreign-'));
  keys = { es: await privateKey('ES256', 'first'), rs: await privateKey('RS256', 'second') };
  await mkdir(path.join(folder, 'migrations'));
  await writeFile(
    path.join(folder, 'signing_keys.json'),
    JSON.stringify([{ ...keys.es, key_ops: ['sign', 'verify'] }, keys.rs]),
  );
  await writeFile(
    path.join(folder, 'config.toml'),
    `project_id = "klein"\n[api]\nmax_rows = 2\n[auth]\nsigning_keys_path = "./signing_keys.json"\njwt_secret = "env(SMALL_SECRET)"\n[studio]\nenabled = true\n`,
  );
  await writeFile(
    path.join(folder, 'migrations', '20250101000000_notes.sql'),
    `create table notes (id int primary key, owner uuid, body text, mark text default crypt('x', gen_salt('bf', 4)));
     alter table notes enable row level security;
     create policy "own notes" on notes using (owner = auth.uid());`,
  );
  await writeFile(
    path.join(folder, 'seed.sql'),
    `insert into notes (id, owner, body)
      select n, '11111111-1111-4111-8111-111111111111', 'Notiz ' || uuid_generate_v4() from generate_series(1, 3) n;`,
  );
  server = await bootServer({ SUPABASE_DIR: folder, SMALL_SECRET: SECRET });
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function privateKey(alg: 'ES256' | 'RS256', kid: string): Promise<JWK> {
  const pair = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(pair.privateKey)), kid, alg, use: 'sig' };
}

async function tokenUnder(key: JWK | string): Promise<string> {
  const [alg, kid] = typeof key === 'string' ? ['HS256', undefined] : [key.alg ?? '', key.kid];
  const secret = typeof key === 'string' ? new TextEncoder().encode(key) : await importJWK(key, alg);
  return new SignJWT({ sub: '11111111-1111-4111-8111-111111111111', role: 'authenticated' })
    .setProtectedHeader({ alg, ...(kid === undefined ? {} : { kid }) })
    .setExpirationTime('1h')
    .sign(secret);
}

async function notes(token: string): Promise<{ status: number; rows: number }> {
  const answer = await server
    .client({ headers: { authorization: `Bearer ${token}` } })
    .from('notes')
    .select('id');
  return { status: answer.status, rows: answer.data?.length ?? -1 };
}

test('Tokens under the keys of a JWK file are accepted: ES256 and RS256 (contract §0)', async () => {
  expect(await notes(await tokenUnder(keys.es))).toEqual({ status: 200, rows: 2 });
  expect(await notes(await tokenUnder(keys.rs))).toEqual({ status: 200, rows: 2 });
});

test('Where a shared secret is configured (through the environment), HS256 tokens are accepted (contract §0)', async () => {
  expect(await notes(await tokenUnder(SECRET))).toEqual({ status: 200, rows: 2 });
  expect((await notes(await tokenUnder('another-secret-of-at-least-32-characters'))).status).toBe(401);
});

test('a token under a key that is not in the file is refused', async () => {
  const stranger = await privateKey('ES256', 'first');
  expect((await notes(await tokenUnder(stranger))).status).toBe(401);
});

test('the published keys are those of the file, without their private parts', async () => {
  const { keys: published } = (await (await fetch(`${server.url}/auth/v1/.well-known/jwks.json`)).json()) as {
    keys: JWK[];
  };
  expect(published.map(({ kid }) => kid)).toEqual(['first', 'second']);
  expect(published.some((key) => 'd' in key || 'p' in key)).toBe(false);
});

test('[api] max_rows caps, the seed was applied, and row-level security holds for everybody else', async () => {
  expect(await notes(await tokenUnder(keys.es))).toMatchObject({ rows: 2 });
  const nobody = await server.client().from('notes').select('id');
  expect(nobody.data).toEqual([]);
});
