import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AccountChangeSchema, NewAccountSchema } from '#contract/accounts.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { createSerialQueue } from '#lib/serial-queue.ts';
import { requireAdministrator, type Administrator } from '../administrator.ts';
import { createApiErrors, createParser, serveModule } from '../api-errors.ts';
import { createBackendClient, getBackendAccess, type BackendAccess, type ModuleDeps } from '../backend-client.ts';
import type { Closing } from '../stop.ts';
import { AccountRouteError, listPage } from './directory.ts';
import {
  changeAccount,
  inviteAgain,
  listFactors,
  makeAccount,
  removeAccount,
  removeFactors,
  renewPassword,
} from './manage.ts';

export type AccountsDeps = ModuleDeps &
  Closing &
  Readonly<{
    /** Never leaves the server. Without one the accounts cannot be managed here. */
    serviceKey: string | undefined;
    /** Fixed origin of the application; otherwise each request's own Host counts. */
    publicUrl: string | undefined;
  }>;

type AccountsContext = AccountsDeps &
  Readonly<{
    backend: () => BackendAccess;
    /** Changes run one after the other. */
    queue: ReturnType<typeof createSerialQueue>;
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
const ParamsSchema = z.object({ id: z.guid().toLowerCase().default('') });

const parse = createParser(AccountRouteError);

/** `id` is the account of `/:id`. */
type Caller = Readonly<{ admin: Administrator; service: SupabaseClient; id: string }>;
type Action = Readonly<{ action: 'look' | 'make' | 'change' | 'remove' | 'password' | 'factors' | 'invite' }>;

const accountRoute = createRouteKind<AccountsContext, Caller, Action>({
  caller: 'administrator',
  admit: ({ context, request, spec: { action } }, run) => {
    const { serviceKey } = context;
    const backend = context.backend();
    const work = async (): Promise<unknown> => {
      const admin = await requireAdministrator(request.headers, backend);
      if (serviceKey === undefined) throw new AccountRouteError('not_configured');
      const service = createBackendClient(backend, serviceKey);
      const result = await run({ admin, service, id: parseId(request) }, {});
      if (action !== 'look') request.log.info({ action, by: admin.id }, 'accounts: changed');
      return result;
    };
    // The queue also holds the check of the caller, because the change before may have demoted the caller.
    return action === 'look' ? work() : context.queue.run(work);
  },
  parseBody: parse,
});

export const ACCOUNT_ROUTES: readonly Route<AccountsContext>[] = [
  accountRoute({ method: 'GET', url: PATH, action: 'look' }, ({ request }, { service }) =>
    listPage(service, parse(QuerySchema, request.query)),
  ),
  accountRoute(
    { method: 'POST', url: PATH, action: 'make', body: NewAccountSchema, status: CREATED },
    ({ context, request, body }, { service }) => makeAccount(service, body, getInvitationTarget(context, request)),
  ),
  accountRoute(
    { method: 'PATCH', url: `${PATH}/:id`, action: 'change', body: AccountChangeSchema },
    ({ body }, { service, admin, id }) => changeAccount(service, admin, id, body),
  ),
  accountRoute(
    { method: 'DELETE', url: `${PATH}/:id`, action: 'remove', status: NO_CONTENT },
    (_input, { service, admin, id }) => removeAccount(service, admin, id),
  ),
  accountRoute({ method: 'POST', url: `${PATH}/:id/password`, action: 'password' }, (_input, { service, admin, id }) =>
    renewPassword(service, admin, id),
  ),
  accountRoute({ method: 'GET', url: `${PATH}/:id/factors`, action: 'look' }, (_input, { service, id }) =>
    listFactors(service, id),
  ),
  accountRoute(
    { method: 'DELETE', url: `${PATH}/:id/factors`, action: 'factors', status: NO_CONTENT },
    (_input, { service, admin, id }) => removeFactors(service, admin, id),
  ),
  accountRoute(
    { method: 'POST', url: `${PATH}/:id/invitation`, action: 'invite' },
    ({ context, request }, { service, id }) => inviteAgain(service, id, getInvitationTarget(context, request)),
  ),
];

/** /v1/accounts (D14), for administrators only. */
export function accountRoutes(deps: AccountsDeps): FastifyPluginAsync {
  return async (app) => {
    const queue = createSerialQueue();
    // A change has several steps, and one that is cut off leaves an account without its role.
    deps.beforeClose(() => queue.run(async () => undefined));
    const context = { ...deps, backend: () => getBackendAccess(app, deps), queue };
    serveModule(app, createApiErrors('accounts', AccountRouteError), ACCOUNT_ROUTES, context);
  };
}

function getInvitationTarget({ publicUrl }: AccountsContext, { protocol, host }: FastifyRequest): string {
  return `${publicUrl ?? `${protocol}://${host}`}${NEW_PASSWORD_PATH}`;
}

function parseId(request: FastifyRequest): string {
  const params = ParamsSchema.safeParse(request.params);
  if (!params.success) throw new AccountRouteError('account_not_found');
  return params.data.id;
}
