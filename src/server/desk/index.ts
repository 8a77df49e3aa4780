import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { createBackendClient, getBackend, type BackendAddress } from '../backend-client.ts';
import { createAccess } from './access.ts';
import type { Desk, DeskDeps } from './deps.ts';
import { createCompaction } from './erasure/compaction.ts';
import { createSteps } from './erasure/steps.ts';
import { createWorker, type Worker } from './erasure/worker.ts';
import { renderError } from './error.ts';
import { createPeriod, type Period } from './retention-period.ts';
import { archive } from './routes/archive.ts';
import { erasures } from './routes/erasures.ts';
import { files } from './routes/files.ts';
import { people } from './routes/people.ts';
import { retention } from './routes/retention.ts';
import { tickets } from './routes/tickets.ts';

const ROUTES: readonly ((app: FastifyInstance, desk: Desk) => void)[] = [
  tickets,
  archive,
  files,
  people,
  erasures,
  retention,
];

const BUCKET = 'Media';
const PATIENCE_MS = 15_000;

/** /v1/desk: files and people's rights. Every route checks for an administrator itself. */
export function deskRoutes(deps: DeskDeps): FastifyPluginAsync {
  return async (app) => {
    const { keys, publicKey, mails } = deps;
    const backend = (): BackendAddress => getBackend(app, deps.backendUrl);
    const access = createAccess(() => ({ ...backend(), publicKey, keys }));
    const period = createPeriod(deps.retentionDays);
    const worker = createErasureWorker(deps, backend, period);
    if (worker !== undefined) {
      app.addHook('onListen', async () => worker.start());
      // The worker sends requests to this server, so it stops before the server closes.
      app.addHook('preClose', () => worker.stop());
    }
    app.setErrorHandler(renderError);
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    for (const register of ROUTES) register(app, { access, backend: () => backend().url, mails, period, worker });
  };
}

function createErasureWorker(
  deps: DeskDeps,
  backend: () => BackendAddress,
  period: Period | undefined,
): Worker | undefined {
  const { serviceKey, mails, log } = deps;
  if (serviceKey === undefined) return undefined;
  const service = (): SupabaseClient => createBackendClient(backend(), serviceKey);
  return createWorker({
    steps: createSteps(service),
    service,
    mails,
    removeTraces: (folder) => deps.removeTraces(BUCKET, folder),
    log,
    patienceMs: PATIENCE_MS,
    period,
    compaction: createCompaction(deps),
  });
}
