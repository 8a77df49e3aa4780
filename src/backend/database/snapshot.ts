import type { Readable } from 'node:stream';
import pg from 'pg';
import { to } from 'pg-copy-streams';
import { holdFiles } from './files-hold.ts';
import { pages } from './pages.ts';
import { findTables, qualified, quoted, readSequences, type Sequence, type Table } from './tables.ts';

/** One moment of a whole database, however long it takes to read it, while everybody else goes on writing. */
export type Snapshot = Readonly<{
  tables: readonly Table[];
  serverVersion: string;
  rows: <Row extends pg.QueryResultRow>(sql: string) => Promise<Row[]>;
  /** The answer in pages, so that any number of rows costs the memory of one page. */
  pages: <Row extends pg.QueryResultRow>(sql: string) => AsyncGenerator<Row[]>;
  /** PostgreSQL's text format; `rows` counts once it has been read. */
  copyOut: (table: Table) => Readonly<{ content: Readable; rows: () => number }>;
  /** The same for the answer to a query. */
  copyAnswer: (sql: string) => Readable;
  sequences: () => Promise<Sequence[]>;
  close: () => Promise<void>;
}>;

/** Text that means the same wherever it is read again. */
export const PLAIN_TEXT = `set client_encoding = 'UTF8'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
  set extra_float_digits = 3; set timezone = 'UTC'; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0`;

/** Connects as the owner of `url`. Throws FilesHeldError where somebody else is at it. */
export async function openSnapshot(url: string): Promise<Snapshot> {
  const client = new pg.Client({ connectionString: url, keepAlive: true });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(PLAIN_TEXT);
    // A policy that hid rows from us would be an incomplete copy: rather an error.
    await client.query('set row_security = off');
    await holdFiles(client);
    await client.query('begin isolation level repeatable read read only');
    return await snapshotOf(client);
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function snapshotOf(client: pg.Client): Promise<Snapshot> {
  const version = await client.query<{ server_version: string }>('show server_version');
  return {
    // The first statement that reads takes the snapshot.
    tables: await findTables(client),
    serverVersion: version.rows[0]?.server_version ?? '',
    rows: async (sql) => (await client.query(sql)).rows,
    pages: (sql) => pages(client, sql),
    copyOut: (table) => {
      const columns = table.columns.map(quoted).join(', ');
      const content = client.query(to(`copy ${qualified(table)} (${columns}) to stdout`));
      return { content, rows: () => content.rowCount };
    },
    copyAnswer: (sql) => client.query(to(`copy (${sql}) to stdout`)),
    sequences: () => readSequences(client),
    close: () => client.end(),
  };
}
