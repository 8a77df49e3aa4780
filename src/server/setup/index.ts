import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import {
  CHECKED_PARTS,
  SETUP_PARTS_PATH,
  type CheckedPart,
  type CheckFindings,
  type PartCheck,
} from '#contract/setup-parts.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { createRateLimiter, type RateLimiter } from '#lib/rate-limiter.ts';
import { requireAdministrator, type Administrator } from '../administrator.ts';
import { getBackendAccess, type BackendAccess, type ModuleDeps } from '../backend-client.ts';
import { createApiErrors, serveModule } from '../api-errors.ts';
import { SetupError } from '../setup-error.ts';
import { listSecrets, describeFailure, removeSecrets } from './check-errors.ts';
import { findCheck, type CheckDeps } from './checks.ts';
import { describeParts, type PartsDeps } from './describe-parts.ts';

export type SetupPartsDeps = ModuleDeps & PartsDeps & Omit<CheckDeps, 'backend'>;

type Context = SetupPartsDeps & Readonly<{ backend: () => BackendAccess; runner: CheckRunner; checks: RateLimiter }>;

/** Of one administrator. */
const CHECK_RATE = { tokens: 10, perMs: 60_000, burst: 10 };
const ParamsSchema = z.object({ part: z.enum(CHECKED_PARTS) });

const setupRoute = createRouteKind<Context, Administrator>({
  caller: 'administrator',
  admit: async ({ context, request }, run) => run(await requireAdministrator(request.headers, context.backend()), {}),
});

export const SETUP_PARTS_ROUTES: readonly Route<Context>[] = [
  setupRoute({ method: 'GET', url: SETUP_PARTS_PATH }, ({ context }) => describeParts(context, context.runner.read)),
  setupRoute(
    { method: 'POST', url: `${SETUP_PARTS_PATH}/:part/check`, limit: 'checks of an administrator' },
    async ({ context, request, reply }, admin) => {
      const params = ParamsSchema.safeParse(request.params);
      if (!params.success) throw new SetupError('unknown_part');
      const { part } = params.data;
      const check = await findCheck(part, context);
      if (!context.checks.take(admin.id)) {
        void reply.header('retry-after', Math.ceil(context.checks.waitMs(admin.id) / 1_000));
        throw new SetupError('rate_limited');
      }
      const presser = { client: admin.client, readAddress: () => readOwnAddress(admin) };
      const result = await context.runner.run(part, (signal) => check(signal, presser));
      request.log.info({ action: 'check', part, code: result.code, by: admin.id }, 'setup: check finished');
      return result;
    },
  ),
];

/** /v1/setup/parts: the state of each part of this installation, and checks of it, for administrators only. */
export function setupPartsRoutes(deps: SetupPartsDeps): FastifyPluginAsync {
  return async (app) => {
    const stopping = new AbortController();
    app.addHook('preClose', async () => stopping.abort());
    const context: Context = {
      ...deps,
      backend: () => getBackendAccess(app, deps),
      runner: createCheckRunner(listSecrets(deps.env), stopping.signal),
      checks: createRateLimiter(CHECK_RATE, Date.now),
    };
    serveModule(app, createApiErrors('setup', SetupError), SETUP_PARTS_ROUTES, context);
  };
}

/** Mails go only to the administrator; an address of the request is never read. */
async function readOwnAddress({ client, token }: Administrator): Promise<string> {
  const { data, error } = await client.auth.getUser(token);
  if (error !== null) throw new SetupError('backend_failed', { cause: error });
  return data.user.email ?? '';
}

/** Shorter than a proxy waits for an answer (docs/operations.md). */
const DEADLINE_MS = 50_000;

type CheckRunner = ReturnType<typeof createCheckRunner>;
type CheckWork = (signal: AbortSignal) => Promise<CheckFindings>;

/** Runs one check of a part at a time and keeps the last one, so that a page that was left finds it again. */
function createCheckRunner(secrets: readonly string[], stopping: AbortSignal) {
  const running = new Set<CheckedPart>();
  const checks = new Map<CheckedPart, PartCheck>();
  return {
    read: (part: CheckedPart) => ({ isChecking: running.has(part), check: checks.get(part) ?? null }),
    /** Rejects only with SetupError `check_running`. */
    run: async (part: CheckedPart, work: CheckWork): Promise<PartCheck> => {
      if (running.has(part)) throw new SetupError('check_running');
      running.add(part);
      try {
        const check = await runCheck(work, secrets, stopping);
        checks.set(part, check);
        return check;
      } finally {
        running.delete(part);
      }
    },
  };
}

async function runCheck(work: CheckWork, secrets: readonly string[], stopping: AbortSignal): Promise<PartCheck> {
  const begun = performance.now();
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(DEADLINE_MS)]);
  const outcome: Omit<PartCheck, 'at' | 'seconds'> = await Promise.race([work(signal), rejectOnAbort(signal)]).then(
    (findings) => ({ code: null, reason: null, findings }),
    (error: unknown) => ({ ...describeFailure(error), findings: {} }),
  );
  const { reason, findings } = outcome;
  return {
    ...outcome,
    at: new Date().toISOString(),
    seconds: (performance.now() - begun) / 1_000,
    reason: reason === null ? null : removeSecrets(reason, secrets),
    findings: findings.text === undefined ? findings : { ...findings, text: removeSecrets(findings.text, secrets) },
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
