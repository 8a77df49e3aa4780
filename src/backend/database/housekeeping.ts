import { randomFillSync } from 'node:crypto';
import { copyFile, open, rename, rm, stat, statfs, truncate } from 'node:fs/promises';
import path from 'node:path';
import { createSerialQueue } from '#lib/serial-queue.ts';
import pg from 'pg';
import { withClient } from './connections.ts';

/** Two segments of the write-ahead log, which a recovery may need to write. */
export const RESERVE_BYTES = 32 * 1024 * 1024;
/** With less free space, PostgreSQL ended because the disk is full. */
const FULL_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** A file beside the database that takes up space until a full disk keeps PostgreSQL from starting. */
export function openReserve(folder: string) {
  const file = path.join(folder, 'reserve');
  return {
    /** Creates the file again once there is enough space. */
    keep: async (): Promise<void> => {
      const kept = await stat(file).catch(() => undefined);
      if (kept?.size === RESERVE_BYTES || (await freeBytes(folder)) < 4 * RESERVE_BYTES) return;
      await write(`${file}.new`).then(
        () => rename(`${file}.new`, file),
        () => rm(`${file}.new`, { force: true }),
      );
    },
    release: (): Promise<void> => rm(file, { force: true }),
    isDiskFull: async (): Promise<boolean> => (await freeBytes(folder)) < FULL_BYTES,
  };
}

/** Random bytes, as a compressing file system would reserve no space for zeros. */
async function write(file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    const piece = randomFillSync(Buffer.alloc(CHUNK_BYTES));
    for (let written = 0; written < RESERVE_BYTES; written += CHUNK_BYTES) await handle.write(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const MAX_BYTES = 1024 * 1024;

/** Two at once would leave a copy of the log that the other has removed. */
const logChanges = createSerialQueue();

/**
 * Keeps PostgreSQL's log small: above 1 MiB it becomes `.1` and starts again. PostgreSQL appends, so it may stay open.
 */
export function limitLog(file: string): Promise<void> {
  return logChanges.run(async () => {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    if (size <= MAX_BYTES) return;
    await copyFile(file, `${file}.1`);
    await truncate(file, 0);
  });
}

export function clearLog(file: string): Promise<void> {
  return logChanges.run(async () => {
    await rm(`${file}.1`, { force: true });
    await truncate(file, 0);
  });
}

/** Tables up to this size are rewritten in moments; larger ones would be locked for too long. */
const REWRITTEN_BYTES = 64 * 1024 * 1024;
const LOCK_TIMEOUT_MS = 2_000;
/** Waiting for a lock blocks all later requests, so it tries again instead of waiting longer. */
const TRIES = 3;
const LOCKED = '55P03';

const TABLES = `select format('%I.%I', n.nspname, c.relname) as name, pg_total_relation_size(c.oid) <= $1 as small
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence = 'p'
    and (n.nspname !~ '^(pg_|information_schema$)' or c.oid = 'pg_catalog.pg_statistic'::regclass)`;

type Found = Readonly<{ name: string; small: boolean }>;

/**
 * Removes deleted rows from the disk. PostgreSQL leaves their bytes until it needs the space, and keeps a log of all
 * changes: this rewrites small tables, vacuums large ones and starts a new log. Needs the cluster's superuser. Throws
 * where a table stays locked.
 */
export async function compact(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const tables = await client.query<Found>(TABLES, [REWRITTEN_BYTES]);
    let left: readonly Found[] = tables.rows;
    for (let tries = 0; tries < TRIES && left.length > 0; tries += 1) left = await rewrite(client, left);
    await client.query('select pg_switch_wal()');
    await client.query('checkpoint');
    if (left.length > 0) throw new Error(`tables in use: ${left.map(({ name }) => name).join(', ')}`);
  });
}

/** Returns the tables that are locked. */
async function rewrite(client: pg.Client, tables: readonly Found[]): Promise<Found[]> {
  const locked: Found[] = [];
  for (const table of tables) {
    await client.query(table.small ? `vacuum (full) ${table.name}` : `vacuum ${table.name}`).catch((error: unknown) => {
      if (!(error instanceof pg.DatabaseError && error.code === LOCKED)) throw error;
      locked.push(table);
    });
  }
  return locked;
}
