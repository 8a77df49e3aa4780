import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Env } from '../env.ts';
import { AccountError } from './accounts.ts';

/** The official client with the service key, and how to leave everything as it was found. */
export type AdminDoor = Readonly<{ supabase: SupabaseClient; close: () => Promise<void> }>;

/** Reaches the accounts wherever they are: on a hosted project or in the embedded backend. Throws AccountError. */
export async function openAdminDoor(env: Env, source: NodeJS.ProcessEnv): Promise<AdminDoor> {
  if (env.SUPABASE_URL !== undefined) return hostedDoor(env.SUPABASE_URL, env.SUPABASE_SERVICE_KEY);
  // A hosted project needs nothing of the server.
  const { openOwnDoor } = await import('./own-door.ts');
  const { url, key, close } = await openOwnDoor(env, source);
  return { supabase: serviceClient(url, key), close };
}

function hostedDoor(url: string, key: string | undefined): AdminDoor {
  if (key === undefined) {
    throw new AccountError('no_key', 'Für SUPABASE_URL wird auch SUPABASE_SERVICE_KEY gebraucht.');
  }
  return { supabase: serviceClient(url, key), close: async () => undefined };
}

function serviceClient(url: string, key: string): SupabaseClient {
  return createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
}
