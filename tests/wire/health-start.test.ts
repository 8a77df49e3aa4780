import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readEnv } from '#server/env.ts';
import { startServer } from '#server/start.ts';
import { createDatabase } from '#tests/support/database.ts';

test('/health says ok only once the start has made the first accounts', async () => {
  const target = await createDatabase('migrated');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'smca-health-'));
  const source = { PORT: '0', LOG_LEVEL: 'silent', DATA_DIR: dataDir, DATABASE_URL: target.url };
  const ask = async (url: string): Promise<unknown> => {
    const answer = await fetch(`${url}/health`);
    return [answer.status, await answer.json()];
  };
  let early: unknown;
  const server = await startServer(readEnv(source), pino({ level: 'silent' }), source, {
    prepare: async ({ url }) => {
      early = await ask(url);
    },
  });
  expect(early).toEqual([503, expect.objectContaining({ status: 'starting', database: 'ok', storage: 'ok' })]);
  expect(await ask(server.url)).toEqual([200, expect.objectContaining({ status: 'ok' })]);
  await server.stop();
  await target.drop();
  await rm(dataDir, { recursive: true, force: true });
});
