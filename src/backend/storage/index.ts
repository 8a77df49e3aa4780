import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { answerErrors } from '#http/errors.ts';
import { limitJsonBodies } from '#http/body-limits.ts';
import { createConfiguredBuckets } from './bucket.ts';
import type { StorageDeps } from './deps.ts';
import { renderNotFound, STORAGE_ERRORS } from './render-error.ts';
import { storageRoute, type StorageRoute } from './route.ts';
import type { Destination } from './resumable/partial-uploads.ts';
import { replaceOriginals } from './originals.ts';
import { releaseAllLocks } from './resumable/locks.ts';
import { releaseExpired, releaseUploadsTo } from './resumable/reservations.ts';
import { RESUMABLE_ROUTES } from './resumable/routes.ts';
import { BUCKET_ROUTES } from './routes/buckets.ts';
import { DOWNLOAD_ROUTES } from './routes/download.ts';
import { LIST_ROUTES } from './routes/list.ts';
import { TRANSFER_ROUTES } from './routes/transfer.ts';
import { REMOVE_ROUTES } from './routes/remove.ts';
import { SIGN_ROUTES } from './routes/sign.ts';
import { UPLOAD_ROUTES } from './routes/upload.ts';
import { removeAllUnclaimed, removeLeftovers, removeUnclaimed } from './unclaimed-files.ts';

export { DEFAULT_RULES, type StorageRules } from './deps.ts';
export { getMinimumFreeBytes } from './stores/free-space.ts';
export { openPartialUploads } from './resumable/open-partial-uploads.ts';
export type { ObjectStore, StoreLocation } from './stores/object-store.ts';
export { openObjectStore } from './stores/open.ts';

type Traces = Pick<StorageDeps, 'database' | 'store' | 'log' | 'partials'>;

/** Removes unfinished uploads to the destination, then what `removeAllUnclaimed` does, and throws as it does. */
export async function removeTraces(deps: Traces, destination: Destination): Promise<void> {
  await deps.partials.removeUploadsTo(destination);
  await releaseUploadsTo(deps, destination);
  await removeAllUnclaimed(deps, destination);
}

const SWEEP_EVERY_MS = 10 * 60_000;

/** /storage/v1: buckets and objects (supabase-contract §3). */
export function storageService(deps: StorageDeps): FastifyPluginAsync {
  return async (app) => {
    answerErrors(app, STORAGE_ERRORS);
    app.setNotFoundHandler(renderNotFound);
    await createConfiguredBuckets(deps);
    if (deps.store.exclusive) await releaseAllLocks(deps);
    await removeLeftovers(deps);
    // Rows also disappear without a request: a retention job deletes them in SQL.
    const closing = new AbortController();
    let sweeping = Promise.resolve();
    const sweep = setInterval(() => {
      sweeping = sweeping.then(() => sweepOnce(deps, closing.signal));
    }, SWEEP_EVERY_MS);
    sweep.unref();
    app.addHook('onClose', async () => {
      clearInterval(sweep);
      closing.abort();
      await sweeping;
    });
    await mountRoutes(app, deps);
  };
}

async function sweepOnce(deps: StorageDeps, signal: AbortSignal): Promise<void> {
  await removeUnclaimed(deps);
  await deps.partials
    .removeExpired()
    .then(() => releaseExpired(deps))
    .catch((error: Error) => deps.log.warn({ cause: error.message }, 'expired uploads not removed'));
  await replaceOriginals(deps, signal);
}

/** GET /status: 200 while the store answers. */
const getStatus = storageRoute(
  { method: 'GET', url: '/status' },
  async ({ store }, _request, reply) => {
    await store.ping();
    return reply.send();
  },
  'anyone',
);

const Manifest = z.object({ version: z.string() });

const getVersion = storageRoute(
  { method: 'GET', url: '/version' },
  async (_deps, _request, reply) => {
    const { version } = Manifest.parse(createRequire(import.meta.url)('../../../package.json'));
    return reply.type('text/plain').send(version);
  },
  'anyone',
);

/** The routes of supabase-contract §3.2. */
const JSON_ROUTES: readonly StorageRoute[] = [
  ...BUCKET_ROUTES,
  ...DOWNLOAD_ROUTES,
  ...LIST_ROUTES,
  ...REMOVE_ROUTES,
  ...SIGN_ROUTES,
  ...TRANSFER_ROUTES,
  getStatus,
  getVersion,
];

/** Their bodies are files of any type and size, so Fastify does not parse them. */
const FILE_ROUTES: readonly StorageRoute[] = [...UPLOAD_ROUTES, ...RESUMABLE_ROUTES];

export const STORAGE_ROUTES: readonly StorageRoute[] = [...JSON_ROUTES, ...FILE_ROUTES];

async function mountRoutes(app: FastifyInstance, deps: StorageDeps): Promise<void> {
  await app.register(async (scope) => {
    // Clients send `content-type: application/json` without a body too.
    limitJsonBodies(scope, { emptyBody: true });
    for (const route of JSON_ROUTES) route.mount(scope, deps);
  });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const route of FILE_ROUTES) route.mount(scope, deps);
  });
}
