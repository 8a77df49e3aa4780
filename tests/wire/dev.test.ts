import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createDatabase } from '#tests/support/database.ts';
import { inherited } from '#tests/support/processes.ts';
import { freePort } from '../../scripts/dev/server.ts';

test('Development: one port for pages and server, a restart that requests wait for, and an orderly end', async () => {
  const database = await createDatabase('migrated');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-dev-'));
  const port = await freePort();
  const child = spawn(process.execPath, ['scripts/dev.ts', '--no-seed'], {
    env: { ...inherited(), DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const address = `http://127.0.0.1:${port}`;
  try {
    await expect.poll(() => said, { timeout: 100_000 }).toContain('firma-a@beispiel.test');
    const page = await fetch(`${address}/admin/eingang`);
    expect(await page.text()).toContain('/@vite/client');
    expect(page.headers.get('content-security-policy')).toBeNull();
    const health = await fetch(`${address}/health`);
    expect(await health.json()).toMatchObject({ status: 'ok' });
    expect(health.headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(await (await fetch(`${address}/config.json`)).json()).toMatchObject({ supabaseUrl: address });

    const now = new Date();
    await utimes('src/server/main.ts', now, now);
    await expect.poll(() => said, { timeout: 100_000 }).toContain('server restarted');
    expect((await fetch(`${address}/health`)).status).toBe(200);
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await rm(dataDir, { recursive: true });
    await database.drop();
  }
}, 240_000);
