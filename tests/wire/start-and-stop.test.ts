import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { readEnv } from '#server/env.ts';
import { startServer, type RunningServer } from '#server/start.ts';
import { createDatabase } from '#tests/support/database.ts';

let dataDir: string;
let databaseUrl: string;
beforeEach(async () => {
  const database = await createDatabase('migrated');
  databaseUrl = database.url;
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-start-'));
  onTestFinished(async () => {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
});

function start(hooks?: Parameters<typeof startServer>[3]): Promise<RunningServer> {
  const source = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir, DATABASE_URL: databaseUrl };
  return startServer(readEnv(source), pino({ level: 'silent' }), source, hooks);
}

test('A step of the stop that fails keeps none of the others back', async () => {
  const server = await start();
  await rm(dataDir, { recursive: true });
  await expect(server.stop()).rejects.toThrow('ENOENT');
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

test('A start that fails says why, also where its stop fails', async () => {
  const prepare = async (): Promise<void> => {
    await rm(dataDir, { recursive: true });
    throw new Error('no accounts');
  };
  await expect(start({ prepare })).rejects.toThrow('no accounts');
});

test('A start removes the address of a server that was killed, before a command can take it for its own', async () => {
  const file = path.join(dataDir, 'server.json');
  await writeFile(file, JSON.stringify({ url: 'http://127.0.0.1:9', pid: 1, databaseUrl: 'postgres://127.0.0.1:9/x' }));
  const isThere: boolean[] = [];
  const server = await start({ onStep: () => isThere.push(existsSync(file)) });
  expect(new Set(isThere)).toEqual(new Set([false]));
  await server.stop();
});
