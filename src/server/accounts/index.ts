import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Backend } from '#backend/index.ts';
import { AccountChangeSchema, NewAccountSchema } from '#contract/accounts.ts';
import { ROLES, type Role } from '#contract/roles.ts';
import type { CallerKeys } from '#http/caller.ts';
import { useErrors } from '#http/errors.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import { removeDurably, writeDurably } from '#lib/durable-file.ts';
import { createSerialQueue } from '#lib/serial-queue.ts';
import { requireAdministrator, type Administrator } from '../administrator.ts';
import { createApiErrors, createParser } from '../api-errors.ts';
import { createBackendClient, getBackend, type BackendAddress } from '../backend-client.ts';
import type { Env } from '../env.ts';
import { AccountError, addAccount, countAccounts, knowsRoles, setPassword, setRole } from './accounts.ts';
import { formatTable } from './commands.ts';
import { listPage } from './directory.ts';
import { AccountRouteError } from './errors.ts';
import {
  changeAccount,
  inviteAgain,
  listFactors,
  makeAccount,
  removeAccount,
  removeFactors,
  renewPassword,
} from './manage.ts';
import { generatePassword } from './passwords.ts';

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

type AccountsContext = AccountsDeps &
  Readonly<{
    backend: () => BackendAddress;
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
    const { publicKey, keys, serviceKey } = context;
    const backend = context.backend();
    const work = async (): Promise<unknown> => {
      const admin = await requireAdministrator(request.headers, { ...backend, publicKey, keys });
      if (serviceKey === undefined) throw new AccountRouteError('not_configured');
      const service = createBackendClient(backend, serviceKey);
      const result = await run({ admin, service, id: parseId(request) }, {});
      if (action !== 'look') request.log.info({ action, by: admin.id }, 'accounts: done');
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
    useErrors(app, createApiErrors('accounts', AccountRouteError));
    app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
    const context = { ...deps, backend: () => getBackend(app, deps.backendUrl), queue: createSerialQueue() };
    for (const route of ACCOUNT_ROUTES) route.mount(app, context);
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

const CredentialsSchema = z.array(z.object({ email: z.string(), password: z.string(), role: z.enum(ROLES) }));

type Credentials = z.infer<typeof CredentialsSchema>;

const FIRST_ACCOUNTS: readonly Readonly<{ email: string; role: Role }>[] = [
  { email: 'admin@beispiel.test', role: 'admin' },
  { email: 'vdi-admin@beispiel.test', role: 'vdi_admin' },
  { email: 'firma-a@beispiel.test', role: 'firma_a' },
  { email: 'firma-b@beispiel.test', role: 'firma_b' },
  { email: 'testnormec@beispiel.test', role: 'testnormec' },
];

type FirstAccountsDeps = Readonly<{
  env: Env;
  /** Without an embedded backend no account is created. */
  server: Readonly<{ url: string; backend: Pick<Backend, 'keys'> | undefined }>;
  print: (text: string) => void;
}>;

/**
 * Creates one account a role where there is no account and only this machine can reach the server. The passwords are in
 * DATA_DIR/zugangsdaten.json and nowhere else. The file is safe on disk before the first account is created, and a
 * marker tells the next start that a crash left some out.
 */
export async function makeFirstAccounts({ env, server, print }: FirstAccountsDeps): Promise<void> {
  const { url, backend } = server;
  if (!isLoopback(env.HOST) || backend === undefined) return;
  const file = path.join(env.DATA_DIR, 'zugangsdaten.json');
  const marker = path.join(env.DATA_DIR, 'zugangsdaten.unvollstaendig');
  const supabase = createBackendClient({ url }, backend.keys.secretKey);
  const resuming = existsSync(marker);
  // Another project's folder (SUPABASE_DIR) may have no roles.
  if (!(await knowsRoles(supabase))) return;
  if (!resuming && (await countAccounts(supabase)) > 0) return;
  const credentials = (resuming ? await readCredentials(file) : undefined) ?? generateCredentials();
  await writeDurably(file, `${JSON.stringify(credentials, null, 2)}\n`);
  await writeDurably(marker, '');
  for (const account of credentials) await ensureAccount(supabase, account);
  print(formatAnnouncement(credentials, file));
  await removeDurably(marker);
}

async function ensureAccount(supabase: SupabaseClient, account: Credentials[number]): Promise<void> {
  try {
    await addAccount(supabase, account);
  } catch (error) {
    if (!(error instanceof AccountError) || error.code !== 'email_exists') throw error;
    await setPassword(supabase, account.email, account.password);
    await setRole(supabase, account.email, account.role);
  }
}

function generateCredentials(): Credentials {
  return FIRST_ACCOUNTS.map(({ email, role }) => ({ email, password: generatePassword(), role }));
}

async function readCredentials(file: string): Promise<Credentials | undefined> {
  try {
    return CredentialsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

/** Prints no passwords, because output stays in terminals and in logs of service managers. */
function formatAnnouncement(credentials: Credentials, file: string): string {
  const rows = credentials.map(({ email, role }) => [email, role]);
  const lines = formatTable(['E-Mail', 'Rolle'], rows).map((line) => `  ${line}`);
  const where = `  Ihre Passwörter stehen in ${file}`;
  const advice = '  Ändere sie nach der ersten Anmeldung unter „Konto“ und lösche die Datei.';
  return ['  Erste Konten:', '', ...lines, '', where, advice, '', ''].join('\n');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
