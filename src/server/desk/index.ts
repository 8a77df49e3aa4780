import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { ownUrl } from '../own-url.ts';
import { archive } from './calls/archive.ts';
import { erasures } from './calls/erasures.ts';
import { file } from './calls/file.ts';
import { people } from './calls/people.ts';
import { preview } from './calls/preview.ts';
import { retention } from './calls/retention.ts';
import { tickets } from './calls/tickets.ts';
import type { Desk, DeskDeps } from './deps.ts';
import { createRemains } from './erasure/remains.ts';
import { createSteps } from './erasure/steps.ts';
import { createWorker, type Worker } from './erasure/worker.ts';
import { renderFailure } from './faults.ts';
import { createGate } from './gate.ts';
import { periodOf, type Period } from './period.ts';

// prettier-ignore
const CALLS: readonly ((app: FastifyInstance, desk: Desk) => void)[] = [
  tickets, archive, file, preview, people, erasures, retention,
];

const BUCKET = 'Media';
const PATIENCE_MS = 15_000;

/** /v1/desk: files and people's rights, for administrators only; each call says so itself. */
export function deskRoutes(deps: DeskDeps): FastifyPluginAsync {
  return async (app) => {
    const { keys, publicKey, mails } = deps;
    const backend = (): string => deps.backendUrl ?? ownUrl(app);
    const gate = createGate(() => ({ url: backend(), publicKey, keys }));
    const period = periodOf(deps.retentionDays);
    const worker = workerOf(deps, backend, period);
    if (worker !== undefined) {
      app.addHook('onListen', async () => worker.start());
      // Its calls come to this very server, so it ends while that still listens.
      app.addHook('preClose', () => worker.stop());
    }
    app.setErrorHandler(renderFailure);
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    for (const call of CALLS) call(app, { gate, backend, mails, period, worker });
  };
}

function workerOf(deps: DeskDeps, backend: () => string, period: Period | undefined): Worker | undefined {
  const { serviceKey, mails, log } = deps;
  if (serviceKey === undefined) return undefined;
  const auth = { persistSession: false, autoRefreshToken: false };
  const service = (): SupabaseClient => createClient(backend(), serviceKey, { auth });
  return createWorker({
    steps: createSteps(service),
    service,
    mails,
    removeTraces: (folder) => deps.removeTraces(BUCKET, folder),
    log,
    patienceMs: PATIENCE_MS,
    period,
    remains: createRemains(deps),
  });
}
