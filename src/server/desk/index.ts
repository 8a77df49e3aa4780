import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyPluginAsync } from 'fastify';
import { createApiErrors, serveModule } from '../api-errors.ts';
import { createBackendClient, getBackendAccess, type BackendAddress, type BackendAccess } from '../backend-client.ts';
import { createAccess } from './access.ts';
import { createCompaction, createPeriod, createSteps, type Period } from './erasure/steps.ts';
import { createWorker, type Worker } from './erasure/worker.ts';
import { DeskError } from './error.ts';
import type { DeskDeps, DeskRoute } from './route.ts';
import { downloadArchive, downloadPostPackage } from './routes/packages.ts';
import {
  downloadExport,
  erase,
  findPerson,
  listErasures,
  previewRetention,
  requestExport,
  runRetention,
} from './routes/people.ts';
import { downloadCleanFile, downloadFile, issueTicket, previewFile } from './routes/files.ts';

// prettier-ignore
export const DESK_ROUTES: readonly DeskRoute[] = [
  issueTicket, downloadArchive, downloadFile, downloadCleanFile, previewFile, findPerson, requestExport, downloadExport,
  downloadPostPackage, erase, listErasures, previewRetention, runRetention,
];

const BUCKET = 'Media';
const RECEIPT_TIMEOUT_MS = 15_000;

/** /v1/desk: files and people's rights, for administrators only. */
export function deskRoutes(deps: DeskDeps): FastifyPluginAsync {
  return async (app) => {
    const { mails } = deps;
    const backend = (address?: string): BackendAccess => getBackendAccess(app, deps, address);
    const access = createAccess(backend);
    // Without the key this server erases nothing.
    const period = createPeriod(deps.serviceKey === undefined ? undefined : deps.retentionDays);
    const worker = createErasureWorker(deps, backend, period);
    if (worker !== undefined) {
      app.addHook('onListen', async () => worker.start());
      deps.beforeClose(worker.stop);
    }
    const desk = { access, backend: () => backend().url, mails, period, worker };
    serveModule(app, createApiErrors('desk', DeskError), DESK_ROUTES, desk);
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
    receiptTimeoutMs: RECEIPT_TIMEOUT_MS,
    period,
    compaction: createCompaction(deps),
  });
}
