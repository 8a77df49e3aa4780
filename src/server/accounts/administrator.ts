import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { IncomingHttpHeaders } from 'node:http';
import { callerOf, type Caller, type CallerKeys } from '#http/caller.ts';
import { TokenError } from '#http/tokens.ts';
import { AccountFailure } from './faults.ts';

export type Administrator = Readonly<{ id: string }>;

export type BackendDoor = Readonly<{ url: string; publicKey: string; keys: CallerKeys }>;

/**
 * Who asks, if it is an administrator: the token is valid, its session lives and is not locked, and the database says
 * so to the caller himself, through row-level security. Throws AccountFailure.
 */
export async function administratorOf(headers: IncomingHttpHeaders, door: BackendDoor): Promise<Administrator> {
  const { token, claims } = await callerOf(headers, door.keys).catch(refuseToken);
  const id = claims['sub'];
  if (token === undefined || typeof id !== 'string') throw new AccountFailure('not_authenticated');
  const asCaller = createClient(door.url, door.publicKey, {
    auth: { persistSession: false, autoRefreshToken: false },
    global: { headers: { Authorization: `Bearer ${token}` } },
  });
  await expectLivingSession(asCaller, token);
  const { data, error, status } = await asCaller.from('user_roles').select('role').eq('user_id', id);
  if (error !== null) throw new AccountFailure(isRefusal(status) ? 'not_admin' : 'backend_failed', { cause: error });
  const rows: readonly Readonly<{ role: unknown }>[] = data;
  if (rows.length !== 1 || rows[0]?.role !== 'admin') throw new AccountFailure('not_admin');
  await expectSecondFactor(asCaller);
  return { id };
}

/** A token outlives its session by up to an hour; who was locked or signed out manages no accounts in the meantime. */
async function expectLivingSession(asCaller: SupabaseClient, token: string): Promise<void> {
  const { error } = await asCaller.auth.getUser(token);
  if (error === null) return;
  throw new AccountFailure(isRefusal(error.status) ? 'not_authenticated' : 'backend_failed', { cause: error });
}

/** The own role is readable without it; a backend without that migration requires none. */
async function expectSecondFactor(asCaller: SupabaseClient): Promise<void> {
  const { data, error } = await asCaller.rpc('second_factor_missing');
  if (error === null && data === true) throw new AccountFailure('second_factor_needed');
  if (error !== null && error.code !== 'PGRST202') throw new AccountFailure('backend_failed', { cause: error });
}

function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500;
}

function refuseToken(error: unknown): Caller {
  if (error instanceof TokenError) throw new AccountFailure('not_authenticated', { cause: error });
  throw error;
}
