import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compact } from '#backend/database/index.ts';
import { getCompactionFile } from '#server/desk/erasure/steps.ts';
import { bootServer } from '#tests/support/boot.ts';
import { deskApi, handIn } from '#tests/support/desk-calls.ts';
import { eraseAs } from '#tests/support/erasures.ts';
import { enterAs } from '#tests/support/first-accounts.ts';
import { spawnServer } from '#tests/support/process.ts';
import { makeUsedFolder } from '#tests/support/used-folder.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await makeUsedFolder();
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const WORD = 'kanarienvogel4711';

/**
 * Files anywhere below the data folder that hold the word: the database's own, its log of changes and its reports too.
 */
async function traces(): Promise<string[]> {
  const { stdout } = await promisify(execFile)('grep', ['-rlaF', WORD, dataDir]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter((line) => line !== '');
}

/** Somebody hands the word in, in every way there is, and is erased; another contribution stays. */
async function handInAndErase(url: string): Promise<void> {
  const [person, admin] = [await enterAs(url, dataDir, 'firma_a'), await enterAs(url, dataDir, 'admin')];
  const file = { type: 'text/plain', extension: 'txt', bytes: Buffer.from(WORD.repeat(50)) };
  const facts = { transcript: `Du: ${WORD} `.repeat(300), name: WORD, email: `${WORD}@beispiel.test`, files: [file] };
  await handIn(person, facts);
  const { id } = await handIn(person, { transcript: 'bleibt' });
  await person.client.auth.resetPasswordForEmail(`${WORD}@beispiel.test`);
  expect((await traces()).length).toBeGreaterThan(1);

  const desk = await deskApi(url, admin);
  const receipt = await eraseAs(desk, { email: `${WORD}@beispiel.test` });
  expect(receipt).toMatchObject({ contributions: 1, files: 1 });
  expect((await desk('GET', `/v1/desk/contributions/${id}/archive`)).status).toBe(200);
}

/** For as long as this server's PostgreSQL runs: the compaction comes some seconds after an erasure. */
async function keepFromCompacting(): Promise<void> {
  const { databaseUrl } = JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8'));
  const holder = new pg.Client({ connectionString: databaseUrl });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query('begin; lock table public.interviews in access share mode');
}

test('Threat 20: leaves no trace in the whole data folder', async () => {
  const server = spawnServer({ DATA_DIR: dataDir, STOP_TIMEOUT_S: '600' });
  try {
    await handInAndErase(await server.url);
  } finally {
    await server.end('SIGTERM');
  }
  expect(await traces()).toEqual([]);
  expect(existsSync(getCompactionFile(dataDir))).toBe(false);
});

test('Threat 20: compacts at the next start after a kill', async () => {
  const killed = spawnServer({ DATA_DIR: dataDir });
  try {
    await killed.url;
    await keepFromCompacting();
    await handInAndErase(await killed.url);
  } finally {
    await killed.end('SIGKILL');
  }
  expect(existsSync(getCompactionFile(dataDir))).toBe(true);
  expect(await traces()).not.toEqual([]);
  const next = spawnServer({ DATA_DIR: dataDir, STOP_TIMEOUT_S: '600' });
  try {
    await next.url;
    await expect.poll(() => existsSync(getCompactionFile(dataDir))).toBe(false);
  } finally {
    await next.end('SIGTERM');
  }
  expect(await traces()).toEqual([]);
});

test('Threat 20: names a locked table, rewrites all others and retries', async () => {
  const server = await bootServer();
  const holder = new pg.Client({ connectionString: server.databaseUrl });
  await holder.connect();
  try {
    const getFile = async (table: string): Promise<string> =>
      (await holder.query<{ file: string }>('select pg_relation_filepath($1) as file', [table])).rows[0]?.file ?? '';
    const before = await getFile('public.media_uploads');
    await holder.query('begin');
    await holder.query('lock table public.interviews in access share mode');
    await expect(compact(server.databaseUrl)).rejects.toThrow(/tables in use: public.interviews$/);
    expect(await getFile('public.media_uploads')).not.toBe(before);
    await holder.query('rollback');
    await compact(server.databaseUrl);
  } finally {
    await holder.end();
    await server.stop();
  }
});
