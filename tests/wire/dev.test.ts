import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createDatabase, type TestDatabase } from '#tests/support/database.ts';
import { inherited } from '#tests/support/processes.ts';
import { reservePort } from '../../scripts/reserved-port.ts';

let database: TestDatabase;
let dataDir: string;
beforeEach(async () => {
  database = await createDatabase('migrated');
  dataDir = await mkdtemp(path.join(tmpdir(), 'smca-dev-'));
  return async () => {
    await rm(dataDir, { recursive: true });
    await database.drop();
  };
});

/** `npm run dev` with a database of its own, which outlives it. */
async function startDevelopment() {
  const { port, release } = await reservePort();
  const child = spawn(process.execPath, ['scripts/dev.ts', '--no-seed'], {
    env: { ...inherited(), DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<unknown> => {
    if (child.exitCode !== null || child.signalCode !== null) return [child.exitCode, child.signalCode];
    const exited = once(child, 'exit');
    child.kill(signal);
    return exited;
  };
  onTestFinished(async () => {
    await end('SIGTERM');
    await release();
  });
  return { said: () => said, address: `http://127.0.0.1:${port}`, end };
}

test('Development: one port for pages and server, a restart that requests wait for, and an orderly end', async () => {
  const { said, address, end } = await startDevelopment();
  await expect.poll(said).toContain('firma-a@beispiel.test');
  const page = await fetch(`${address}/admin/eingang`);
  expect(await page.text()).toContain('/@vite/client');
  expect(page.headers.get('content-security-policy')).toBeNull();
  const health = await fetch(`${address}/health`);
  expect(await health.json()).toMatchObject({ status: 'ok' });
  expect(health.headers.get('content-security-policy')).toContain("script-src 'self';");
  expect(await (await fetch(`${address}/config.json`)).json()).toMatchObject({ supabaseUrl: address });

  const now = new Date();
  await utimes('src/server/main.ts', now, now);
  await expect.poll(said).toContain('server restarted');
  expect((await fetch(`${address}/health`)).status).toBe(200);
  expect(await end('SIGTERM')).toEqual([0, null]);
});

test('Development that is killed takes its server along', async () => {
  const { said, end } = await startDevelopment();
  await expect.poll(said).toContain('firma-a@beispiel.test');
  const { url } = JSON.parse(await readFile(path.join(dataDir, 'server.json'), 'utf8')) as { url: string };
  const answers = (): Promise<boolean> =>
    fetch(`${url}/health`).then(
      () => true,
      () => false,
    );
  expect(await answers()).toBe(true);
  await end('SIGKILL');
  await expect.poll(answers).toBe(false);
});
