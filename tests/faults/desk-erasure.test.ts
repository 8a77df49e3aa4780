import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { access, mkdir, mkdtemp, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterEach, expect, test } from 'vitest';
import { ErasureListSchema } from '#contract/desk-files.ts';
import { createUser, type TestUser } from '#tests/support/accounts.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { asOwner } from '#tests/support/callers.ts';
import { createDatabase } from '#tests/support/database.ts';
import { deskApi, handIn, must, type Handed } from '#tests/support/desk-calls.ts';
import { eraseAs } from '#tests/support/erasures.ts';
import { findTraces } from '#tests/support/find-traces.ts';
import { spawnServer } from '#tests/support/process.ts';
import { startS3 } from '#tests/support/s3.ts';

const WORD = 'kanarienvogel';

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close();
});

/** A place where servers come and go. */
async function place(): Promise<Readonly<{ DATABASE_URL: string; DATA_DIR: string }>> {
  const database = await createDatabase('migrated');
  opened.push(database.drop);
  const DATA_DIR = await mkdtemp(path.join(tmpdir(), 'smca-erasure-'));
  opened.push(() => rm(DATA_DIR, { recursive: true, force: true }));
  return { DATABASE_URL: database.url, DATA_DIR };
}

type Scene = Readonly<{ server: TestServer; person: TestUser; handed: readonly Handed[] }>;

async function arrange(server: TestServer, word = WORD): Promise<Scene> {
  const person = await createUser(server, { role: 'firma_a', email: `${word}@beispiel.test` });
  const bytes = Buffer.from(word.repeat(10));
  const file = { type: 'text/plain', extension: 'txt', bytes };
  const facts = { transcript: word, name: word, files: [file, file] };
  return { server, person, handed: [await handIn(person, facts), await handIn(person, facts)] };
}

async function removeFiles({ server, handed }: Scene, erasure: string, count: number): Promise<void> {
  const contribution = handed[0]?.id;
  await must(server.service().rpc('desk_erasure_begin', { erasure, contribution, mails: 0 }));
  const paths = handed[0]?.files.map((file) => file.path) ?? [];
  await must(server.service().storage.from('Media').remove(paths.slice(0, count)));
}

/** How far an erasure may have got when the server goes down. */
const STEPS: Readonly<Record<string, (scene: Scene, erasure: string) => Promise<unknown>>> = {
  recorded: async () => undefined,
  takenon: ({ server }, erasure) => must(server.service().rpc('desk_erasure_claim', { erasure })),
  onefilegone: (scene, erasure) => removeFiles(scene, erasure, 1),
  allfilesgone: (scene, erasure) => removeFiles(scene, erasure, 2),
  onecontributiongone: async (scene, erasure) => {
    await removeFiles(scene, erasure, 2);
    await must(scene.server.service().rpc('desk_erasure_rows', { contribution: scene.handed[0]?.id }));
  },
  accountgone: async ({ server, person }, erasure) => {
    await must(server.service().rpc('desk_erasure_begin_person', { erasure, mails: 0 }));
    expect((await server.service().auth.admin.deleteUser(person.id)).error).toBeNull();
  },
};

test('Desk: resumes an erasure after a crash at any step, with the same counts', async () => {
  const env = await place();
  const before = await bootServer(env);
  const admin = await createUser(before, { role: 'admin' });
  const erasures: string[] = [];
  const words: string[] = [];
  for (const [name, act] of Object.entries(STEPS)) {
    const scene = await arrange(before, `${WORD}${name}`);
    const subject = { email: scene.person.email, account: true };
    const erasure: unknown = await must(admin.client.rpc('desk_erase', { subject }));
    // The same request is the same erasure.
    expect(await must(admin.client.rpc('desk_erase', { subject }))).toBe(erasure);
    erasures.push(String(erasure));
    words.push(scene.person.id, `${WORD}${name}`);
    await act(scene, String(erasure));
  }
  await before.stop();

  const after = await bootServer(env);
  opened.push(after.stop);
  const { data } = await after.client().auth.signInWithPassword({ email: admin.email, password: admin.password });
  const desk = await deskApi(after.url, data.session?.access_token);
  const list = async () => ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body);
  await expect.poll(async () => (await list()).open, { interval: 500 }).toEqual([]);
  const { receipts } = await list();
  expect(receipts.map(({ id }) => id).toSorted()).toEqual(erasures.toSorted());
  const same = { by: admin.id, what: 'person', contributions: 2, files: 4, turns: 4, feedback: 2, accounts: 1 };
  for (const receipt of receipts) expect(receipt).toMatchObject(same);
  expect(await findTraces({ databaseUrl: env.DATABASE_URL, folders: [env.DATA_DIR] }, words)).toEqual([]);
});

/** Stands before an S3 server: passes everything on, or holds back or refuses what removes files. */
async function gateBefore(endpoint: string) {
  let mode: 'open' | 'held' | 'refusing' = 'open';
  let asked = (): void => undefined;
  const waiting = new Promise<void>((resolve) => (asked = resolve));
  const gate = createServer((question, answer) => {
    const removing = question.url?.includes('delete') === true;
    if (removing && mode === 'held') return asked();
    if (removing && mode === 'refusing') return answer.writeHead(403).end();
    const passed = request(
      new URL(question.url ?? '/', endpoint),
      { method: question.method, headers: question.headers },
      (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      },
    );
    passed.once('error', () => answer.destroy());
    return question.pipe(passed);
  });
  await new Promise<void>((resolve) => gate.listen(0, '127.0.0.1', resolve));
  opened.push(async () => {
    gate.closeAllConnections();
    gate.close();
  });
  return {
    endpoint: `http://127.0.0.1:${(gate.address() as AddressInfo).port}`,
    set: (wanted: typeof mode) => (mode = wanted),
    /** Resolves when something was held back. */
    waiting,
  };
}

async function signIn(url: string, key: string, { email, password }: TestUser): Promise<string> {
  const client = createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
  const { data } = await client.auth.signInWithPassword({ email, password });
  return data.session?.access_token ?? '';
}

test('Desk: completes an erasure after kill -9', async () => {
  const s3 = await startS3();
  opened.push(s3.stop);
  const gate = await gateBefore(s3.env['S3_ENDPOINT'] ?? '');
  const env = { ...(await place()), ...s3.env, S3_ENDPOINT: gate.endpoint };
  const setUp = await bootServer(env);
  const admin = await createUser(setUp, { role: 'admin' });
  const { handed } = await arrange(setUp);
  const key = setUp.backend.keys.publishableKey;
  await setUp.stop();

  const doomed = spawnServer(env);
  const desk = await deskApi(await doomed.url, await signIn(await doomed.url, key, admin));
  gate.set('held');
  const asked = desk('POST', '/v1/desk/erasures', { contribution: handed[0]?.id }).catch(() => undefined);
  await gate.waiting;
  await doomed.end('SIGKILL');
  await asked;
  gate.set('open');
  // What the dead had taken on is free after ten seconds, which the test above waits for.
  await asOwner(env.DATABASE_URL, (client) => client.query(`update private.erasures set claimed_until = '-infinity'`));

  const next = spawnServer(env);
  opened.push(() => next.end('SIGTERM'));
  const again = await deskApi(await next.url, await signIn(await next.url, key, admin));
  await expect
    .poll(async () => (await again('GET', '/v1/desk/erasures')).body, { interval: 500 })
    .toMatchObject({
      open: [],
      receipts: [{ what: 'contribution', contributions: 1, files: 2, turns: 2 }],
    });
  const where = { databaseUrl: env.DATABASE_URL, folders: [env.DATA_DIR, s3.directory] };
  const names = handed[0]?.files.map((file) => file.path) ?? [];
  expect(names).toHaveLength(2);
  expect(await findTraces(where, names)).toEqual([]);
  expect(await s3.keys()).toHaveLength(2);
});

test('Desk: keeps an erasure open while the store fails, then finishes it', async () => {
  const s3 = await startS3();
  opened.push(s3.stop);
  const gate = await gateBefore(s3.env['S3_ENDPOINT'] ?? '');
  const server = await bootServer({ ...s3.env, S3_ENDPOINT: gate.endpoint });
  opened.push(server.stop);
  const admin = await createUser(server, { role: 'admin' });
  const { handed } = await arrange(server);
  const desk = await deskApi(server.url, admin);
  gate.set('refusing');
  const answer = await desk('POST', '/v1/desk/erasures', { contribution: handed[0]?.id });
  // 202: it fails only after the answer.
  if (answer.status !== 202) expect(answer).toMatchObject({ status: 502, code: 'erasure_unfinished' });
  const list = async () => ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body);
  expect(await list()).toMatchObject({ open: [{ what: 'contribution', by: admin.id }], receipts: [] });
  expect(await s3.keys()).toHaveLength(4);
  gate.set('open');
  await expect.poll(list, { interval: 300 }).toMatchObject({ open: [], receipts: [{ contributions: 1, files: 2 }] });
  expect(await s3.keys()).toHaveLength(2);
});

test('Desk: a file that cannot be removed holds up nobody but whom it belongs to', async () => {
  const server = await bootServer();
  opened.push(server.stop);
  const admin = await createUser(server, { role: 'admin' });
  const { handed } = await arrange(server);
  const other = await arrange(server, 'anderer');
  const desk = await deskApi(server.url, admin);
  const versionsOf = async (id: number | undefined): Promise<string[]> => {
    const sql = 'select version from storage.objects where starts_with(name, $1) order by name';
    const { rows } = await asOwner(server.databaseUrl, (client) => client.query(sql, [`${id}/`]));
    return rows.map(({ version }) => path.join(server.dataDir, 'files/objects', version.slice(0, 2), version));
  };
  const [kept = '', goes = ''] = await versionsOf(handed[0]?.id);
  // A folder cannot be unlinked, not even by root.
  await rm(kept);
  await mkdir(kept);
  const list = async () => ErasureListSchema.parse((await desk('GET', '/v1/desk/erasures')).body);
  const begin = async (contribution: number | undefined): Promise<void> => {
    const begun = await desk('POST', '/v1/desk/erasures', { contribution });
    if (begun.status !== 202) expect(begun).toMatchObject({ status: 502, code: 'erasure_unfinished' });
  };
  await begin(handed[0]?.id);
  await expect.poll(() => access(goes).catch(() => 'gone')).toBe('gone');

  const [theirs = ''] = await versionsOf(other.handed[0]?.id);
  expect(await eraseAs(desk, { contribution: other.handed[0]?.id })).toMatchObject({ files: 2 });
  await expect(access(theirs)).rejects.toMatchObject({ code: 'ENOENT' });
  // A file deleted before its erasure is known by its folder, and tried again at once.
  const [stuck = ''] = await versionsOf(handed[1]?.id);
  await rm(stuck);
  await mkdir(stuck);
  await must(
    server
      .service()
      .storage.from('Media')
      .remove([handed[1]?.files[0]?.path ?? '']),
  );
  await begin(handed[1]?.id);
  expect(await eraseAs(desk, { contribution: other.handed[1]?.id })).toMatchObject({ files: 2 });
  expect(await list()).toMatchObject({ open: [{ what: 'contribution' }, { what: 'contribution' }] });

  for (const folder of [kept, stuck]) await rmdir(folder);
  await expect.poll(list, { interval: 500 }).toMatchObject({ open: [] });
  expect((await list()).receipts).toHaveLength(4);
  const names = handed.flatMap(({ files }) => files.map((file) => file.path));
  expect(await findTraces({ databaseUrl: server.databaseUrl, folders: [server.dataDir] }, names)).toEqual([]);
});
