import type { SupabaseClient } from '@supabase/supabase-js';
import type { IncomingHttpHeaders } from 'node:http';
import { identifyCaller, type Caller } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';
import { CodedError } from '#lib/error-code.ts';
import { createBackendClient, type BackendAccess } from './backend-client.ts';

/** `client` sends requests in the administrator's own name, with `token`. */
export type Administrator = Readonly<{ id: string; token: string; client: SupabaseClient }>;

type RefusalCode = 'not_authenticated' | 'not_admin' | 'second_factor_needed' | 'backend_failed';

/** Why a caller is refused where only administrators are allowed. */
export class NoAdministratorError extends CodedError<RefusalCode> {
  constructor(code: RefusalCode, options?: ErrorOptions) {
    super(code, code, options);
  }
}

/**
 * Requires a valid token of a living session whose account is an administrator, as row-level security lets the caller
 * read it. Throws NoAdministratorError.
 */
export async function requireAdministrator(
  headers: IncomingHttpHeaders,
  backend: BackendAccess,
): Promise<Administrator> {
  const { token, claims } = await identifyCaller(headers, backend.keys).catch(refuseToken);
  const id = claims['sub'];
  if (token === undefined || typeof id !== 'string') throw new NoAdministratorError('not_authenticated');
  const client = createBackendClient(backend, backend.publicKey, token);
  await requireSession(client, token);
  const { data, error, status } = await client.from('user_roles').select('role').eq('user_id', id);
  if (error !== null)
    throw new NoAdministratorError(isRefusal(status) ? 'not_admin' : 'backend_failed', { cause: error });
  const rows: readonly Readonly<{ role: unknown }>[] = data;
  if (rows.length !== 1 || rows[0]?.role !== 'admin') throw new NoAdministratorError('not_admin');
  await requireSecondFactor(client);
  return { id, token, client };
}

/** A token is valid for up to an hour after its session: a banned or signed-out administrator is refused at once. */
async function requireSession(client: SupabaseClient, token: string): Promise<void> {
  const { error } = await client.auth.getUser(token);
  if (error === null) return;
  throw new NoAdministratorError(isRefusal(error.status) ? 'not_authenticated' : 'backend_failed', { cause: error });
}

/** A backend without that migration requires no second factor. */
async function requireSecondFactor(client: SupabaseClient): Promise<void> {
  const { data, error } = await client.rpc('second_factor_missing');
  if (error === null && data === true) throw new NoAdministratorError('second_factor_needed');
  if (error !== null && error.code !== 'PGRST202') throw new NoAdministratorError('backend_failed', { cause: error });
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}

function refuseToken(error: unknown): Caller {
  if (error instanceof TokenError) throw new NoAdministratorError('not_authenticated', { cause: error });
  throw error;
}
