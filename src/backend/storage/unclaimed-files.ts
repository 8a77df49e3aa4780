/**
 * Tracks files that no object points at (table `_backend.unclaimed_files`). A version is registered before its file is
 * visible in the store and claimed in the transaction that writes the object's row. A trigger registers it again when
 * the row is deleted or replaced.
 */
import { randomUUID } from 'node:crypto';
import { getMessage } from '#lib/error-code.ts';
import { mayRemoveFiles, type Tx } from '../database/index.ts';
import type { StorageDeps } from './deps.ts';
import { StorageError } from './errors.ts';
import { KeptFilesError, storeKey, StoreUnavailableError } from './stores/object-store.ts';
import type { Destination } from './resumable/partial-uploads.ts';
import { ignoreUntilAwaited } from './stores/large-files.ts';

const UPLOAD_PATIENCE = '24 hours';
const REMOVE_AT_ONCE = 500;

type Deps = Pick<StorageDeps, 'database' | 'store' | 'log'>;

const POSTPONE = `update _backend.unclaimed_files set removable_from = now() + interval '1 hour'
  where version = any($1)`;
// A version written by hand is no uuid and has no bytes. What the store kept after its row is due at once.
const VERSIONS_OF = `with kept as (update _backend.unclaimed_files set removable_from = now()
    where bucket_id = $1 and starts_with(name, $2) returning version)
  select version from storage.objects where bucket_id = $1 and starts_with(name, $2)
    and version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' union all select version from kept`;

/** Registers a new version; the caller must claim or abandon it. */
export async function createVersion(deps: Deps): Promise<string> {
  const version = randomUUID();
  await registerVersion(deps, version);
  return version;
}

/** The same at once; `registered` must have resolved before a store shows the file. */
export function beginVersion(deps: Deps): Readonly<{ version: string; registered: Promise<void> }> {
  const version = randomUUID();
  return { version, registered: ignoreUntilAwaited(registerVersion(deps, version)) };
}

/** Repeatable. */
export async function registerVersion({ database }: Deps, version: string): Promise<void> {
  const sql = `insert into _backend.unclaimed_files (version, removable_from) values ($1, now() + $2::interval)
    on conflict (version) do update set removable_from = excluded.removable_from`;
  await database.asOwner((tx) => tx.query(sql, [version, UPLOAD_PATIENCE], { endsTransaction: true }), {
    retryable: true,
  });
}

const CLAIM = `with ended as (delete from _backend.partial_uploads where version = $1)
  delete from _backend.unclaimed_files where version = $1`;

/**
 * Joins the transaction that writes the object's row, in which a resumable upload ends to be counted as unfinished.
 * Throws Aborted where the bytes were removed meanwhile.
 */
export async function claimVersion(tx: Tx, version: string): Promise<void> {
  const result = await tx.query(CLAIM, [version]);
  if (result.rowCount === 0) throw new StorageError('Aborted', 'The upload took too long');
}

/** Removes the bytes of a version unless it is claimed: a claim's answer may have been lost. Never throws. */
export async function abandonVersion(deps: Deps, version: string): Promise<void> {
  try {
    await deps.database.asOwner((tx) =>
      tx.query('update _backend.unclaimed_files set removable_from = now() where version = $1', [version]),
    );
  } catch (error) {
    deps.log.warn({ cause: getMessage(error) }, 'unfinished upload not removed');
  }
  await removeUnclaimed(deps);
}

/** Removes all files that are due. What the store refuses to remove is tried again in an hour. Never throws. */
export async function removeUnclaimed(deps: Deps): Promise<void> {
  try {
    while ((await removeBatch(deps)) === REMOVE_AT_ONCE);
  } catch (error) {
    deps.log.warn({ cause: getMessage(error) }, 'unclaimed files not removed');
  }
}

/**
 * Removes the bytes of the destination's objects, and of deleted ones that the store kept, then what `removeUnclaimed`
 * does. The objects' rows are deleted later: they count what is left. Throws KeptFilesError, and StoreUnavailableError
 * where a file that is due was not tried.
 */
export async function removeAllUnclaimed(deps: Deps, { bucket, prefix }: Destination): Promise<void> {
  await deps.database.asOwner(async (tx) => {
    if (!(await mayRemoveFiles(tx))) throw new StoreUnavailableError();
    const { rows } = await tx.query<{ version: string }>(VERSIONS_OF, [bucket, prefix]);
    await deps.store.remove(rows.map(({ version }) => storeKey(version))).catch((error) => {
      deps.log.warn({ prefix, cause: getMessage(error) }, 'files of an erasure not removed');
      throw error;
    });
  });
  await removeUnclaimed(deps);
  // Waits for another server that removes the same files.
  const sql = 'select from _backend.unclaimed_files where removable_from <= now() limit 1 for update';
  const left = await deps.database.asOwner((tx) => tx.query(sql));
  if (left.rows.length > 0) throw new StoreUnavailableError();
}

async function removeBatch({ database, store, log }: Deps): Promise<number> {
  return database.asOwner(async (tx) => {
    // A backup reads all files at this moment; the next sweep removes them.
    if (!(await mayRemoveFiles(tx))) return 0;
    const due = await tx.query<{ version: string; used: boolean }>(
      `select version, exists (select from storage.objects o where o.version = f.version) as used
       from _backend.unclaimed_files f where removable_from <= now() limit $1 for update skip locked`,
      [REMOVE_AT_ONCE],
    );
    const versions = due.rows.map((row) => row.version);
    if (versions.length === 0) return 0;
    // Two requests may finish the same upload: bytes with an object stay although the later request registered them.
    let kept: readonly string[] = [];
    await store.remove(due.rows.filter((row) => !row.used).map((row) => storeKey(row.version))).catch((error) => {
      if (!(error instanceof KeptFilesError)) throw error;
      kept = versions.filter((version) => error.kept.has(storeKey(version)));
      // The store refused a file without naming it, so any of them may still be there.
      if (kept.length < error.kept.size) throw error;
      log.warn({ versions: kept, cause: getMessage(error) }, 'unclaimed files not removed');
    });
    // Otherwise they would fill every batch, and nothing else would be removed.
    if (kept.length > 0) await tx.query(POSTPONE, [kept]);
    await tx.query('delete from _backend.unclaimed_files where version = any($1) and removable_from <= now()', [
      versions,
    ]);
    return versions.length;
  });
}

/** Removes uploads of an earlier process at start, where only this process uses the store. */
export async function removeLeftovers(deps: Deps): Promise<void> {
  if (deps.store.exclusive) {
    await deps.database.asOwner((tx) => tx.query('update _backend.unclaimed_files set removable_from = now()'));
  }
  await removeUnclaimed(deps);
}
