import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { startDatabaseProxy, type DatabaseProxy } from '#tests/support/database-proxy.ts';
import { contribute } from '#tests/support/desk.ts';
import { spawnServer } from '#tests/support/process.ts';

let target: TestDatabase;
let proxy: DatabaseProxy;
let server: TestServer;
let direct: pg.Client;
let admin: TestUser;
let contribution: number;

beforeAll(async () => {
  target = await createDatabase('migrated');
  proxy = await startDatabaseProxy(target.url);
  server = await bootServer({ DATABASE_URL: proxy.url, CONTRIBUTIONS_PER_HOUR: '100000' });
  admin = await createUser(server, { role: 'admin' });
  contribution = await contribute(server);
  direct = new pg.Client({ connectionString: target.url });
  await direct.connect();
});
afterAll(async () => {
  await direct.end();
  await server.stop();
  await proxy.stop();
  await target.drop();
});

let count = 0;

const refresh = async (): Promise<unknown> => {
  const { data, error } = await admin.client.auth.refreshSession();
  return error ?? (data.session === null ? 'no session' : null);
};

const desk = async (): Promise<unknown> => {
  const { data } = await admin.client.auth.getSession();
  const headers = { authorization: `Bearer ${data.session?.access_token}` };
  const answer = await fetch(`${server.url}/v1/desk/contributions/${contribution}/archive`, { headers });
  await answer.arrayBuffer();
  return answer.ok ? null : answer.status;
};

const KINDS: Readonly<Record<string, (client: SupabaseClient) => Promise<unknown>>> = {
  select: async (client) => (await client.from('interviews').select('id').limit(1).retry(false)).error,
  insert: async (client) => (await client.from('interviews').insert({})).error,
  update: async (client) =>
    (await client.from('interviews').update({ transcript: 'neu' }).eq('id', contribution)).error,
  upload: async () =>
    (
      await server
        .service()
        .storage.from('Media')
        .upload(`${contribution}/${(count += 1)}.txt`, 'Text')
    ).error,
  login: async () =>
    (await server.client().auth.signInWithPassword({ email: admin.email, password: admin.password })).error,
  refresh,
  desk,
  health: async () => ((await fetch(`${server.url}/health`)).ok ? null : 'not ok'),
};

test.each(Object.keys(KINDS))('Ten losses of all connections cost no %s anything', async (kind) => {
  const outcomes: unknown[] = [];
  for (let loss = 0; loss < 10; loss += 1) {
    await direct.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    );
    outcomes.push(await KINDS[kind]?.(admin.client));
  }
  expect(outcomes).toEqual(Array.from({ length: 10 }, () => null));
});

test('A restart of the database costs no request that waits for it', async () => {
  await proxy.close();
  const asked = Object.entries(KINDS).filter(([kind]) => kind !== 'health');
  const outcomes = Promise.all(asked.map(([, ask]) => ask(admin.client)));
  await expect.poll(async () => (await fetch(`${server.url}/health`)).status).toBe(503);
  await proxy.open();
  expect(await outcomes).toEqual(asked.map(() => null));
});

test('A server that starts during a restart of the database waits for it', async () => {
  await proxy.close();
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-outage-'));
  const second = spawnServer({ DATA_DIR: dataDir, DATABASE_URL: proxy.url });
  await expect.poll(() => second.output()).toContain('database out of reach');
  await proxy.open();
  expect((await fetch(`${await second.url}/health`)).status).toBe(200);
  await second.end('SIGTERM');
  await rm(dataDir, { recursive: true, force: true });
});

/** Sends a write as an administrator, or with the service key, and loses the answer to its commit. */
async function loseCommit(path: string, mark: string, content: object | string, key?: string): Promise<Response> {
  const { data } = await admin.client.auth.getSession();
  void proxy.cutAfterSending('commit', mark);
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: {
      apikey: key ?? server.backend.keys.publishableKey,
      authorization: `Bearer ${key ?? data.session?.access_token}`,
      'content-type': typeof content === 'string' ? 'text/plain' : 'application/json',
    },
    body: typeof content === 'string' ? content : JSON.stringify(content),
  });
}

test.each([
  ['/rest/v1/interviews', { code: expect.stringMatching(/^(PGRST001|57P01)$/) }],
  ['/auth/v1/token?grant_type=password', { code: 503, error_code: 'unexpected_failure' }],
  ['/storage/v1/bucket', { statusCode: '503', code: 'DatabaseUnavailable' }],
])('A write whose commit got no answer is 503 with Retry-After in the form of %s', async (path, body) => {
  const { email, password } = admin;
  const lost = path.includes('storage')
    ? loseCommit(path, 'lost-bucket', { name: 'lost-bucket' }, server.backend.keys.secretKey)
    : path.includes('token')
      ? loseCommit(path, email, { email, password })
      : loseCommit(path, 'nie bestätigt', { transcript: 'nie bestätigt' });
  const answer = await lost;
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await answer.json()).toMatchObject(body);
});

test('An upload whose commit got no answer succeeds, because its row is found (F4)', async () => {
  const name = `${contribution}/lost.txt`;
  const answer = await loseCommit(`/storage/v1/object/Media/${name}`, name, 'Text', server.backend.keys.secretKey);
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ Key: `Media/${name}` })]);
  const { data } = await server.service().storage.from('Media').download(name);
  expect(await data?.text()).toBe('Text');
});
