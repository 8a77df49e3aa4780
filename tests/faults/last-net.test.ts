import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { spawnServer, type ServerProcess } from '#tests/support/process.ts';

let target: TestDatabase;
let dataDir: string;
let running: ServerProcess[];

beforeEach(async () => {
  target = await createDatabase('migrated');
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-net-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((server) => server.end('SIGTERM')));
  await target.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** `program` runs in the server's process before it starts. */
function start(program: string): ServerProcess {
  const server = spawnServer({
    DATA_DIR: dataDir,
    DATABASE_URL: target.url,
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}`,
  });
  running.push(server);
  return server;
}

const FAIL = `throw Object.assign(new Error('about ' + ['Eri', 'ka'].join('')), { code: 'EFAILED' })`;

async function health(server: ServerProcess): Promise<number> {
  return (await fetch(`${await server.url}/health`)).status;
}

test('An uncaught exception is logged without its message and ends the server with code 70', async () => {
  const server = start(`process.on('SIGUSR2', () => { ${FAIL}; })`);
  expect(await health(server)).toBe(200);
  server.child.kill('SIGUSR2');
  const [code] = await once(server.child, 'exit');
  expect(code).toBe(70);
  expect(server.output()).toContain('uncaught exception, stopping');
  expect(server.output()).toContain('EFAILED');
  expect(server.output()).not.toContain('Erika');
  expect(await health(start(''))).toBe(200);
});

test('A rejected promise that nothing handles is logged without its message and the server goes on', async () => {
  const server = start(`process.on('SIGUSR2', async () => { ${FAIL}; })`);
  await server.url;
  server.child.kill('SIGUSR2');
  await expect.poll(() => server.output()).toContain('unhandled rejection');
  expect(await health(server)).toBe(200);
  expect(server.output()).not.toContain('Erika');
});
