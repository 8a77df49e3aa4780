import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type TestDatabase = Readonly<{ url: string; drop: () => Promise<void> }>;

/** How the run's set-up tells its workers where the PostgreSQL is. */
export const CLUSTER_VARIABLE = 'TEST_CLUSTER_URL';

/** An empty database of its own in the run's PostgreSQL. */
export async function createDatabase(): Promise<TestDatabase> {
  const clusterUrl = process.env[CLUSTER_VARIABLE] ?? '';
  const name = `test_${randomBytes(6).toString('hex')}`;
  await admin(clusterUrl, `create database ${name}`);
  const url = new URL(clusterUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => admin(clusterUrl, `drop database ${name} with (force)`) };
}

async function admin(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
