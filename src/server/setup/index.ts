import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { CHECKED_PARTS, SETUP_PARTS_PATH } from '#contract/setup-parts.ts';
import type { CallerKeys } from '#http/caller.ts';
import { useErrors } from '#http/errors.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { requireAdministrator, type Administrator } from '../administrator.ts';
import { createApiErrors } from '../api-errors.ts';
import { getBackend, type BackendAddress } from '../backend-client.ts';
import { SetupError } from '../setup-error.ts';
import { listSecrets } from './check-errors.ts';
import { createCheckLimit, createCheckRunner, type CheckRunner } from './check-runner.ts';
import { findCheck, type CheckDeps } from './checks.ts';
import { describeParts, type PartsDeps } from './describe-parts.ts';

export type SetupPartsDeps = Readonly<{
  keys: CallerKeys;
  /** A hosted project's address; undefined: this server's own backend. */
  backendUrl: string | undefined;
  publicKey: string;
}> &
  PartsDeps &
  Omit<CheckDeps, 'backend'>;

type Context = SetupPartsDeps &
  Readonly<{ backend: () => BackendAddress; runner: CheckRunner; mayCheck: (admin: string) => boolean }>;

const CHECKS_PER_MINUTE = 10;
const RETRY_AFTER_S = 60;
const ParamsSchema = z.object({ part: z.enum(CHECKED_PARTS) });

const setupRoute = createRouteKind<Context, Administrator>({
  caller: 'administrator',
  admit: async ({ context, request }, run) => {
    const { publicKey, keys } = context;
    return run(await requireAdministrator(request.headers, { ...context.backend(), publicKey, keys }), {});
  },
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
      if (!context.mayCheck(admin.id)) {
        void reply.header('retry-after', RETRY_AFTER_S);
        throw new SetupError('rate_limited');
      }
      const presser = { client: admin.client, readAddress: () => readOwnAddress(admin) };
      const result = await context.runner.run(part, (signal) => check(signal, presser));
      request.log.info({ action: 'check', part, code: result.code, by: admin.id }, 'setup: done');
      return result;
    },
  ),
];

/** /v1/setup/parts: the state of each part of this installation, and checks of it, for administrators only. */
export function setupPartsRoutes(deps: SetupPartsDeps): FastifyPluginAsync {
  return async (app) => {
    useErrors(app, createApiErrors('setup', SetupError));
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    const stopping = new AbortController();
    app.addHook('preClose', async () => stopping.abort());
    const context: Context = {
      ...deps,
      backend: () => getBackend(app, deps.backendUrl),
      runner: createCheckRunner(listSecrets(deps.env), stopping.signal),
      mayCheck: createCheckLimit(CHECKS_PER_MINUTE),
    };
    for (const route of SETUP_PARTS_ROUTES) route.mount(app, context);
  };
}

/** Mails go to the administrator alone; an address of the request is never read. */
async function readOwnAddress({ client, token }: Administrator): Promise<string> {
  const { data, error } = await client.auth.getUser(token);
  if (error !== null) throw new SetupError('backend_failed', { cause: error });
  return data.user.email ?? '';
}
