import type { Readable } from 'node:stream';
import type pg from 'pg';
import { to } from 'pg-copy-streams';
import { openClient } from './connections.ts';
import { findTables, pages, qualifyName, quoteName, readSequences, type Sequence, type Table } from './tables.ts';
import type { Tx } from './database.ts';

/** Settings under which text means the same in every installation. */
export const PLAIN_TEXT = `set client_encoding = 'UTF8'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
  set extra_float_digits = 3; set timezone = 'UTC'; set statement_timeout = 0;
  set idle_in_transaction_session_timeout = 0`;

/** Connects as the owner of `url`. Throws FilesHeldError where another snapshot is open. */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = await openClient(url);
  try {
    await client.query(PLAIN_TEXT);
    // A policy that hides rows must be an error, not an incomplete copy.
    await client.query('set row_security = off');
    await holdFiles(client);
    await client.query('begin isolation level repeatable read read only');
    return await createSnapshot(client);
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** A whole database at one moment, while other connections continue to write. */
async function createSnapshot(client: pg.Client) {
  const version = await client.query<{ server_version: string }>('show server_version');
  return {
    // The first statement that reads takes the snapshot.
    tables: await findTables(client),
    serverVersion: version.rows[0]?.server_version ?? '',
    rows: async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> => (await client.query<Row>(sql)).rows,
    /** The answer in pages, so that any number of rows costs the memory of one page. */
    pages: <Row extends pg.QueryResultRow>(sql: string): AsyncGenerator<Row[]> => pages(client, sql),
    /** PostgreSQL's text format; `rows` counts once it has been read. */
    copyOut: (table: Table): Readonly<{ content: Readable; rows: () => number }> => {
      const columns = table.columns.map(quoteName).join(', ');
      const content = client.query(to(`copy ${qualifyName(table)} (${columns}) to stdout`));
      return { content, rows: () => content.rowCount };
    },
    /** The same for the answer to a query. */
    copyAnswer: (sql: string): Readable => client.query(to(`copy (${sql}) to stdout`)),
    sequences: (): Promise<Sequence[]> => readSequences(client),
    close: (): Promise<void> => client.end(),
  };
}

export type Snapshot = Awaited<ReturnType<typeof createSnapshot>>;

// Every server on this database uses the same numbers.
const HOLDING = 7_236_092;
const FILES = 7_236_093;

export class FilesHeldError extends Error {
  constructor() {
    super('Another process holds all files at this moment');
    this.name = 'FilesHeldError';
  }
}

/**
 * Keeps all servers from removing files until the connection ends, so that every file of a snapshot can be read. The
 * next sweep removes the files that became due meanwhile. Throws FilesHeldError where another connection holds them.
 */
async function holdFiles(client: Pick<pg.Client, 'query'>): Promise<void> {
  const lock = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [HOLDING]);
  if (lock.rows[0]?.taken !== true) throw new FilesHeldError();
  // Removals under way come to their end first.
  await client.query('select pg_advisory_lock($1)', [FILES]);
}

/** Files may be removed in this transaction; a hold waits for its end. */
export async function mayRemoveFiles(tx: Tx): Promise<boolean> {
  const answer = await tx.query<{ free: boolean }>('select pg_try_advisory_xact_lock_shared($1) as free', [FILES]);
  return answer.rows[0]?.free === true;
}
