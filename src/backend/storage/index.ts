import { createRequire } from 'node:module';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { createConfiguredBuckets } from './bucket.ts';
import type { StorageDeps } from './deps.ts';
import { renderError, renderNotFound } from './render-error.ts';
import { releaseAllLocks } from './resumable/locks.ts';
import { resumableRoutes } from './resumable/routes.ts';
import { bucketRoutes } from './routes/buckets.ts';
import { downloadRoutes } from './routes/download.ts';
import { listRoutes } from './routes/list.ts';
import { transferRoutes } from './routes/transfer.ts';
import { removeRoutes } from './routes/remove.ts';
import { signRoutes } from './routes/sign.ts';
import { uploadRoutes } from './routes/upload.ts';
import { removeLeftovers, removeUnclaimed } from './unclaimed-files.ts';

export { DEFAULT_RULES, type StorageRules } from './deps.ts';
export { openPartialUploads } from './resumable/open-partial-uploads.ts';
export type { ObjectStore, StoreLocation } from './stores/object-store.ts';
export { openObjectStore } from './stores/open.ts';
export { removeAllUnclaimed } from './unclaimed-files.ts';

const SWEEP_EVERY_MS = 10 * 60_000;

/** /storage/v1: buckets and objects (supabase-contract §3). */
export function storageService(deps: StorageDeps): FastifyPluginAsync {
  return async (app) => {
    app.setErrorHandler(renderError);
    app.setNotFoundHandler(renderNotFound);
    await createConfiguredBuckets(deps);
    if (deps.store.exclusive) await releaseAllLocks(deps);
    await removeLeftovers(deps);
    // Rows also disappear without a request: a retention job deletes them in SQL.
    const sweep = setInterval(() => void sweepOnce(deps), SWEEP_EVERY_MS);
    sweep.unref();
    app.addHook('onClose', async () => clearInterval(sweep));
    await mountRoutes(app, deps);
  };
}

async function sweepOnce(deps: StorageDeps): Promise<void> {
  await removeUnclaimed(deps);
  await deps.partials
    .removeExpired()
    .catch((error: Error) => deps.log.warn({ cause: error.message }, 'expired uploads not removed'));
}

type MountRoutes = (app: FastifyInstance, deps: StorageDeps) => void;

/** The routes of supabase-contract §3.2. */
// prettier-ignore
const ROUTES: readonly MountRoutes[] = [
  bucketRoutes, downloadRoutes, listRoutes, removeRoutes, signRoutes, transferRoutes, statusRoutes,
];

/** Their bodies are files of any type and size, so Fastify does not parse them. */
const UPLOAD_ROUTES: readonly MountRoutes[] = [uploadRoutes, resumableRoutes];

async function mountRoutes(app: FastifyInstance, deps: StorageDeps): Promise<void> {
  await app.register(async (scope) => {
    acceptEmptyJson(scope);
    for (const mount of ROUTES) mount(scope, deps);
  });
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const mount of UPLOAD_ROUTES) mount(scope, deps);
  });
}

/** Clients send `content-type: application/json` without a body too. */
function acceptEmptyJson(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else void parse(request, body, done);
  });
}

const Manifest = z.object({ version: z.string() });

/** GET /status (200 while the store answers) and /version */
function statusRoutes(app: FastifyInstance, { store }: StorageDeps): void {
  const { version } = Manifest.parse(createRequire(import.meta.url)('../../../package.json'));
  app.get('/status', async (_request, reply) => {
    await store.ping();
    return reply.send();
  });
  app.get('/version', async (_request, reply) => reply.type('text/plain').send(version));
}
