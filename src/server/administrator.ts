import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { IncomingHttpHeaders } from 'node:http';
import { callerOf, type Caller, type CallerKeys } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';

/** `client` speaks to the backend in the administrator's own name, with `token`. */
export type Administrator = Readonly<{ id: string; token: string; client: SupabaseClient }>;

export type BackendDoor = Readonly<{ url: string; publicKey: string; keys: CallerKeys }>;

type Fault = 'not_authenticated' | 'not_admin' | 'second_factor_needed' | 'backend_failed';

/** Why somebody is not let in where only administrators are. */
export class NoAdministratorError extends Error {
  readonly code: Fault;
  constructor(code: Fault, options?: ErrorOptions) {
    super(code, options);
    this.name = 'NoAdministratorError';
    this.code = code;
  }
}

/**
 * Who asks, if it is an administrator: the token is valid, its session lives and is not locked, and the database says
 * so to the caller himself, through row-level security. Throws NoAdministratorError.
 */
export async function administratorOf(headers: IncomingHttpHeaders, door: BackendDoor): Promise<Administrator> {
  const { token, claims } = await callerOf(headers, door.keys).catch(refuseToken);
  const id = claims['sub'];
  if (token === undefined || typeof id !== 'string') throw new NoAdministratorError('not_authenticated');
  const client = createClient(door.url, door.publicKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { headers: { Authorization: `Bearer ${token}` } },
  });
  await expectLivingSession(client, token);
  const { data, error, status } = await client.from('user_roles').select('role').eq('user_id', id);
  if (error !== null)
    throw new NoAdministratorError(isRefusal(status) ? 'not_admin' : 'backend_failed', { cause: error });
  const rows: readonly Readonly<{ role: unknown }>[] = data;
  if (rows.length !== 1 || rows[0]?.role !== 'admin') throw new NoAdministratorError('not_admin');
  await expectSecondFactor(client);
  return { id, token, client };
}

/** A token outlives its session by up to an hour; who was locked or signed out is no administrator in the meantime. */
async function expectLivingSession(client: SupabaseClient, token: string): Promise<void> {
  const { error } = await client.auth.getUser(token);
  if (error === null) return;
  throw new NoAdministratorError(isRefusal(error.status) ? 'not_authenticated' : 'backend_failed', { cause: error });
}

/** The own role is readable without it; a backend without that migration requires none. */
async function expectSecondFactor(client: SupabaseClient): Promise<void> {
  const { data, error } = await client.rpc('second_factor_missing');
  if (error === null && data === true) throw new NoAdministratorError('second_factor_needed');
  if (error !== null && error.code !== 'PGRST202') throw new NoAdministratorError('backend_failed', { cause: error });
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

function refuseToken(error: unknown): Caller {
  if (error instanceof TokenError) throw new NoAdministratorError('not_authenticated', { cause: error });
  throw error;
}
