import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AccountChangeSchema, NewAccountSchema } from '#contract/accounts.ts';
import type { CallerKeys } from '#http/caller.ts';
import { createSerialQueue } from '#lib/serial-queue.ts';
import { type Administrator, requireAdministrator } from '../administrator.ts';
import { createBackendClient, getBackend } from '../backend-client.ts';
import { listPage } from './directory.ts';
import { AccountRouteError, renderFailure } from './errors.ts';
import {
  changeAccount,
  inviteAgain,
  listFactors,
  makeAccount,
  removeAccount,
  removeFactors,
  renewPassword,
} from './manage.ts';

export type AccountsDeps = Readonly<{
  keys: CallerKeys;
  /** A hosted project's address; undefined: this server's own backend. */
  backendUrl: string | undefined;
  publicKey: string;
  /** Never leaves the server. Without one the accounts cannot be managed here. */
  serviceKey: string | undefined;
  /** Fixed origin of the application; otherwise each request's own Host counts. */
  publicUrl: string | undefined;
}>;

const PATH = '/v1/accounts';
const NEW_PASSWORD_PATH = '/passwort-neu';
const CREATED = 201;
const NO_CONTENT = 204;

const QuerySchema = z.object({
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  search: z.string().max(255).default(''),
});
// In lower case, like the database's ids, so the own account is recognised.
const ParamsSchema = z.object({ id: z.guid().toLowerCase() });

/** /v1/accounts (D14), for administrators only. */
export function accountRoutes(deps: AccountsDeps): FastifyPluginAsync {
  return async (app) => {
    const asAdmin = createAdminRunner(app, deps);
    const getInvitationTarget = (request: FastifyRequest): string =>
      `${deps.publicUrl ?? `${request.protocol}://${request.host}`}${NEW_PASSWORD_PATH}`;
    app.setErrorHandler(renderFailure);
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    app.get(PATH, (request) =>
      asAdmin(request, 'look', ({ service }) => listPage(service, validate(QuerySchema, request.query))),
    );
    app.post(PATH, async (request, reply) => {
      const wanted = (): z.infer<typeof NewAccountSchema> => validate(NewAccountSchema, request.body);
      const made = await asAdmin(request, 'make', ({ service }) =>
        makeAccount(service, wanted(), getInvitationTarget(request)),
      );
      return reply.code(CREATED).send(made);
    });
    app.patch(`${PATH}/:id`, (request) =>
      asAdmin(request, 'change', ({ service, admin }) =>
        changeAccount(service, admin, parseId(request), validate(AccountChangeSchema, request.body)),
      ),
    );
    app.delete(`${PATH}/:id`, async (request, reply) => {
      await asAdmin(request, 'remove', ({ service, admin }) => removeAccount(service, admin, parseId(request)));
      return reply.code(NO_CONTENT).send();
    });
    app.post(`${PATH}/:id/password`, (request) =>
      asAdmin(request, 'password', ({ service, admin }) => renewPassword(service, admin, parseId(request))),
    );
    app.get(`${PATH}/:id/factors`, (request) =>
      asAdmin(request, 'look', ({ service }) => listFactors(service, parseId(request))),
    );
    app.delete(`${PATH}/:id/factors`, async (request, reply) => {
      await asAdmin(request, 'factors', ({ service, admin }) => removeFactors(service, admin, parseId(request)));
      return reply.code(NO_CONTENT).send();
    });
    app.post(`${PATH}/:id/invitation`, (request) =>
      asAdmin(request, 'invite', ({ service }) => inviteAgain(service, parseId(request), getInvitationTarget(request))),
    );
  };
}

type Action<T> = (deps: Readonly<{ service: SupabaseClient; admin: Administrator }>) => Promise<T>;

/** Checks the caller inside of the queue, because the change before may have demoted the caller. */
function createAdminRunner(app: FastifyInstance, deps: AccountsDeps) {
  const queue = createSerialQueue();
  return async <T>(request: FastifyRequest, action: string, act: Action<T>): Promise<T> => {
    const backend = getBackend(app, deps.backendUrl);
    const work = async (): Promise<T> => {
      const admin = await requireAdministrator(request.headers, {
        ...backend,
        publicKey: deps.publicKey,
        keys: deps.keys,
      });
      if (deps.serviceKey === undefined) throw new AccountRouteError('not_configured');
      const service = createBackendClient(backend, deps.serviceKey);
      const result = await act({ service, admin });
      if (action !== 'look') request.log.info({ action, by: admin.id }, 'accounts: done');
      return result;
    };
    return action === 'look' ? work() : queue.run(work);
  };
}

function parseId(request: FastifyRequest): string {
  const params = ParamsSchema.safeParse(request.params);
  if (!params.success) throw new AccountRouteError('account_not_found');
  return params.data.id;
}

function validate<T extends z.core.$ZodType>(schema: T, given: unknown): z.output<T> {
  const result = z.safeParse(schema, given);
  if (result.success) return result.data;
  throw new AccountRouteError('invalid_request', { cause: result.error });
}
