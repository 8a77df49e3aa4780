import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Lock, Locker, RequestRelease } from '@tus/utils';
import type { StorageDeps } from '../deps.ts';

type Deps = Pick<StorageDeps, 'database' | 'log'>;
type Lease = Readonly<{ upload: string; holder: string }>;

const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 2_000;
/**
 * The holder is asked to stop at the first renewal that is due after so long without one: within 6 s. The library may
 * need 3 s more, still within the lease.
 */
const RENEW_WITHIN_MS = 5_000;
const RETRY_EVERY_MS = 250;
/** Longer than a lease, so the first attempt continues an upload of a killed server. */
const ACQUIRE_WITHIN_MS = 15_000;

const ACQUIRE = `insert into _backend.upload_locks as l (upload, holder, expires_at)
  values ($1, $2, now() + $3 * interval '1 millisecond')
  on conflict (upload) do update set holder = excluded.holder, expires_at = excluded.expires_at, wanted = false
  where l.expires_at < now() or l.holder = excluded.holder`;
const ASK = 'update _backend.upload_locks set wanted = true where upload = $1 and not wanted';
const RENEW = `update _backend.upload_locks set expires_at = now() + $3 * interval '1 millisecond'
  where upload = $1 and holder = $2 returning wanted`;
const RELEASE = 'delete from _backend.upload_locks where upload = $1 and holder = $2';

/** Locks uploads in the database, so that two servers never write to one upload at the same time. */
export function createDatabaseLocker(deps: Deps): Locker {
  /** Holders in this process release at once, not at their next renewal. */
  const holders = new Map<string, RequestRelease>();
  return { newLock: (id) => newLock(deps, holders, { upload: id, holder: randomUUID() }) };
}

function newLock(deps: Deps, holders: Map<string, RequestRelease>, lease: Lease): Lock {
  let stopRenewing: (() => void) | undefined;
  return {
    lock: async (signal, requestRelease) => {
      await acquire(deps, holders, lease, signal);
      holders.set(lease.upload, requestRelease);
      stopRenewing = keepRenewing(deps, lease, requestRelease);
    },
    unlock: async () => {
      stopRenewing?.();
      holders.delete(lease.upload);
      await runOnce(deps, RELEASE, [lease.upload, lease.holder]).catch(() => deps.log.warn('upload lock not released'));
    },
  };
}

/** Throws 423 where the holder does not release in time or the request ends before. */
async function acquire(deps: Deps, holders: Map<string, RequestRelease>, lease: Lease, signal: AbortSignal) {
  const until = performance.now() + ACQUIRE_WITHIN_MS;
  // The lease of a holder in this process may have run out while the machine slept, and that one writes until it ends.
  while (holders.has(lease.upload) || !(await tryAcquire(deps, lease))) {
    if (signal.aborted || performance.now() > until) throw lockedError();
    await holders.get(lease.upload)?.();
    await delay(RETRY_EVERY_MS);
  }
}

/** The library reads `status_code` and `body`. */
function lockedError(): Error {
  return Object.assign(new Error('upload is locked'), { status_code: 423, body: 'acquiring lock timeout' });
}

async function tryAcquire(deps: Deps, { upload, holder }: Lease): Promise<boolean> {
  const acquired = await runOnce(deps, ACQUIRE, [upload, holder, LEASE_MS]);
  if (acquired.rowCount === 1) return true;
  await runOnce(deps, ASK, [upload]);
  return false;
}

/** Every statement about a lock may be run again, so each takes one round trip. */
function runOnce({ database }: Deps, sql: string, values: readonly unknown[]) {
  return database.asOwner((tx) => tx.query<{ wanted: boolean }>(sql, values, { endsTransaction: true }), {
    retryable: true,
  });
}

/** Ends the request where another one waits or the lease cannot be renewed. */
function keepRenewing(deps: Deps, lease: Lease, requestRelease: RequestRelease): () => void {
  let renewedAt = performance.now();
  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const result = await runOnce(deps, RENEW, [lease.upload, lease.holder, LEASE_MS]);
    const row = result.rows[0];
    if (row === undefined || row.wanted) await requestRelease();
    if (row !== undefined) renewedAt = askedAt;
  };
  const timer = setInterval(() => {
    if (performance.now() - renewedAt > RENEW_WITHIN_MS) void requestRelease();
    renew().catch(() => deps.log.warn('upload lock not renewed'));
  }, RENEW_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Removes the locks of an earlier process at start, where only this process uses the store. */
export async function releaseAllLocks({ database }: Pick<Deps, 'database'>): Promise<void> {
  await database.asOwner((tx) => tx.query('delete from _backend.upload_locks'));
}
