import type pg from 'pg';
import type { Tx } from './database.ts';

// Any numbers will do, as long as every server on this database uses the same.
const HOLDING = 7_236_092;
const FILES = 7_236_093;

export class FilesHeldError extends Error {
  constructor() {
    super('Somebody else holds all files at this moment');
    this.name = 'FilesHeldError';
  }
}

/**
 * While one connection holds this, no server removes bytes, so that every file a snapshot knows of can still be read.
 * What became due meanwhile goes with the next sweep. The hold ends with the connection. Throws FilesHeldError where
 * another one has it.
 */
export async function holdFiles(client: Pick<pg.Client, 'query'>): Promise<void> {
  const alone = await client.query<{ alone: boolean }>('select pg_try_advisory_lock($1) as alone', [HOLDING]);
  if (alone.rows[0]?.alone !== true) throw new FilesHeldError();
  // Removals under way come to their end first.
  await client.query('select pg_advisory_lock($1)', [FILES]);
}

/** Whether bytes may be removed in this transaction; if so, a hold waits for its end. */
export async function mayRemoveFiles(tx: Tx): Promise<boolean> {
  const answer = await tx.query<{ free: boolean }>('select pg_try_advisory_xact_lock_shared($1) as free', [FILES]);
  return answer.rows[0]?.free === true;
}
