import { randomUUID } from 'node:crypto';
import { mayRemoveFiles, type Tx } from '../database/index.ts';
import type { StorageDeps } from './deps.ts';
import { StorageError } from './errors.ts';
import { StoreUnavailableError, storeKey } from './object-store.ts';

/**
 * Keeps track of bytes that no object points at (table `_backend.unclaimed_files`): noted before they are written,
 * claimed in the transaction that writes the object's row, noted again by trigger when the row goes or is replaced.
 */
const UPLOAD_PATIENCE = '24 hours';
const REMOVE_AT_ONCE = 500;

type Deps = Pick<StorageDeps, 'database' | 'store' | 'log'>;

/** A version whose bytes may now be written. Whoever does must `claim` or `abandon` it. */
export async function newVersion({ database }: Deps): Promise<string> {
  const version = randomUUID();
  await database.asOwner((tx) =>
    tx.query('insert into _backend.unclaimed_files (version, removable_from) values ($1, now() + $2::interval)', [
      version,
      UPLOAD_PATIENCE,
    ]),
  );
  return version;
}

/** The same for a version that was named before its bytes came; noting it again is no harm. */
export async function noteVersion({ database }: Deps, version: string): Promise<void> {
  await database.asOwner((tx) =>
    tx.query(
      `insert into _backend.unclaimed_files (version, removable_from) values ($1, now() + $2::interval)
       on conflict (version) do update set removable_from = excluded.removable_from`,
      [version, UPLOAD_PATIENCE],
    ),
  );
}

/** In the transaction that lets an object point at the version. Throws Aborted where its bytes were given up. */
export async function claim(tx: Tx, version: string): Promise<void> {
  const result = await tx.query('delete from _backend.unclaimed_files where version = $1', [version]);
  if (result.rowCount === 0) throw new StorageError('Aborted', 'The upload took too long');
}

/**
 * Removes the bytes of a version that was not claimed; of one that was (the answer was lost), nothing. Never throws.
 */
export async function abandon(deps: Deps, version: string): Promise<void> {
  try {
    await deps.database.asOwner((tx) =>
      tx.query('update _backend.unclaimed_files set removable_from = now() where version = $1', [version]),
    );
  } catch (error) {
    deps.log.warn({ cause: wordsOf(error) }, 'an unfinished upload stays until the next sweep');
  }
  await removeUnclaimed(deps);
}

/** Removes all bytes that are due. What fails stays noted for the next time. Never throws. */
export async function removeUnclaimed(deps: Deps): Promise<void> {
  try {
    while ((await removeSome(deps)) === REMOVE_AT_ONCE);
  } catch (error) {
    deps.log.warn({ cause: wordsOf(error) }, 'files that nobody needs stay until the next sweep');
  }
}

/** Like `removeUnclaimed`, but throws StoreUnavailableError where something that is due stays in the store. */
export async function removeAllUnclaimed(deps: Deps): Promise<void> {
  await removeUnclaimed(deps);
  // Waits for another server that is at it.
  const sql = 'select from _backend.unclaimed_files where removable_from <= now() limit 1 for update';
  const left = await deps.database.asOwner((tx) => tx.query(sql));
  if (left.rows.length > 0) throw new StoreUnavailableError();
}

async function removeSome({ database, store }: Deps): Promise<number> {
  return database.asOwner(async (tx) => {
    // Somebody copies all files at this moment; the next sweep comes.
    if (!(await mayRemoveFiles(tx))) return 0;
    const due = await tx.query<{ version: string; used: boolean }>(
      `select version, exists (select from storage.objects o where o.version = f.version) as used
       from _backend.unclaimed_files f where removable_from <= now() limit $1 for update skip locked`,
      [REMOVE_AT_ONCE],
    );
    const versions = due.rows.map((row) => row.version);
    if (versions.length === 0) return 0;
    // Two requests may end the same upload; whatever the later one noted, bytes with an object stay.
    await store.remove(due.rows.filter((row) => !row.used).map((row) => storeKey(row.version)));
    await tx.query('delete from _backend.unclaimed_files where version = any($1)', [versions]);
    return versions.length;
  });
}

/** At start: uploads of an earlier process are over where this one has the store for itself. */
export async function removeLeftovers(deps: Deps): Promise<void> {
  if (deps.store.exclusive) {
    await deps.database.asOwner((tx) => tx.query('update _backend.unclaimed_files set removable_from = now()'));
  }
  await removeUnclaimed(deps);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
