import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import type { Logger } from 'pino';
import { startCluster } from '#backend/database/index.ts';

export type DevDatabase = Readonly<{ url: string; stop: () => Promise<void> }>;

const POSTGRES = 'postgres';

/**
 * The embedded PostgreSQL of the data folder, in the place where `npm start` looks for it; DATABASE_URL names another.
 */
export async function openDevDatabase(dataDir: string, log: Logger): Promise<DevDatabase> {
  const given = process.env['DATABASE_URL'] ?? '';
  if (given !== '') return { url: given, stop: async () => undefined };
  const cluster = await startCluster({ folder: path.join(dataDir, POSTGRES), log });
  void cluster.failed.then((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  return { url: cluster.url(POSTGRES), stop: cluster.stop };
}

/**
 * Removes every row, file and mail. Roles belong to the whole cluster and stay. Throws where DATABASE_URL is another's.
 */
export async function emptyInstallation(dataDir: string, url: string): Promise<void> {
  if ((process.env['DATABASE_URL'] ?? '') !== '') throw new Error('--fresh empties the embedded database only.');
  const elsewhere = new URL(url);
  elsewhere.pathname = '/template1';
  const client = new pg.Client({ connectionString: elsewhere.href });
  await client.connect();
  try {
    await client.query(`drop database if exists ${POSTGRES} with (force)`);
    await client.query(`create database ${POSTGRES}`);
  } finally {
    await client.end();
  }
  const others = (await readdir(dataDir)).filter((name) => name !== POSTGRES);
  await Promise.all(others.map((name) => rm(path.join(dataDir, name), { recursive: true })));
}
