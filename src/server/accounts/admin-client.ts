import type { SupabaseClient } from '@supabase/supabase-js';
import { createBackendClient } from '../backend-client.ts';
import type { Env } from '../env.ts';
import { AccountError } from './accounts.ts';

/** The official client with the service key. */
export type AdminConnection = Readonly<{ supabase: SupabaseClient; close: () => Promise<void> }>;

/** Connects to a hosted project or to the embedded backend. Throws AccountError. */
export async function connectAsAdmin(env: Env, source: NodeJS.ProcessEnv): Promise<AdminConnection> {
  if (env.SUPABASE_URL !== undefined) return connectToHosted(env.SUPABASE_URL, env.SUPABASE_SERVICE_KEY);
  // Loaded only here: a hosted project needs no backend.
  const { serveOwnBackend, ServerStartingError } = await import('../own-backend.ts');
  const { url, backend, close } = await serveOwnBackend(env, source).catch((error: unknown) => {
    throw error instanceof ServerStartingError ? new AccountError('starting', STARTING(error.message)) : error;
  });
  return { supabase: createBackendClient({ url }, backend.keys.secretKey), close };
}

const STARTING = (folder: string): string =>
  `Der Server auf ${folder} startet oder endet gerade. Versuche es gleich noch einmal.`;

function connectToHosted(url: string, key: string | undefined): AdminConnection {
  if (key === undefined) {
    throw new AccountError('no_key', 'Für SUPABASE_URL wird auch SUPABASE_SERVICE_KEY gebraucht.');
  }
  return { supabase: createBackendClient({ url }, key), close: async () => undefined };
}
