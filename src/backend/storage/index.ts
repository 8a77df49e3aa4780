import type { FastifyPluginAsync } from 'fastify';
import { makeConfiguredBuckets } from './buckets/configured.ts';
import type { StorageDeps } from './deps.ts';
import { renderError, renderNotFound } from './render-error.ts';
import { releaseAllLocks } from './resumable/locks.ts';
import { mountCalls } from './routes.ts';
import { removeLeftovers, removeUnclaimed } from './unclaimed.ts';

export type { ObjectStore, StoreLocation } from './object-store.ts';
export { DEFAULT_RULES, type StorageRules } from './rules.ts';
export { removeAllUnclaimed } from './unclaimed.ts';
export { openPartials } from './resumable/partials.ts';
export { openObjectStore } from './stores/open.ts';

const SWEEP_EVERY_MS = 10 * 60_000;

/** /storage/v1: buckets and objects (supabase-contract §3). */
export function storageService(deps: StorageDeps): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(renderError);
    app.setNotFoundHandler(renderNotFound);
    await makeConfiguredBuckets(deps);
    if (deps.store.exclusive) await releaseAllLocks(deps);
    await removeLeftovers(deps);
    // Rows may also go without a call: a retention job deletes them in SQL.
    const sweep = setInterval(() => void sweepOnce(deps), SWEEP_EVERY_MS);
    sweep.unref();
    app.addHook('onClose', async () => clearInterval(sweep));
    await mountCalls(app, deps);
  };
}

async function sweepOnce(deps: StorageDeps): Promise<void> {
  await removeUnclaimed(deps);
  await deps.partials
    .removeExpired()
    .catch((error: Error) => deps.log.warn({ cause: error.message }, 'expired uploads stay until the next sweep'));
}
