import type pg from 'pg';
import type { Tx } from './database.ts';

// Any number will do, as long as every server on this database uses the same.
const FILES_HOLD = 7_236_092;

/**
 * While one connection holds this, no server removes bytes, so that every file a snapshot knows of can still be read.
 * What became due meanwhile goes with the next sweep. The hold ends with the connection. Throws 55P03 after 30 s where
 * another has it.
 */
export async function holdFiles(client: Pick<pg.Client, 'query'>): Promise<void> {
  await client.query(`set lock_timeout = '30s'`);
  await client.query('select pg_advisory_lock($1)', [FILES_HOLD]);
  await client.query('reset lock_timeout');
}

/** Whether bytes may be removed in this transaction; true keeps a hold waiting until its end. */
export async function mayRemoveFiles(tx: Tx): Promise<boolean> {
  const answer = await tx.query<{ free: boolean }>('select pg_try_advisory_xact_lock_shared($1) as free', [FILES_HOLD]);
  return answer.rows[0]?.free === true;
}
