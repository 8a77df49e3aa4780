import type { AddressInfo } from 'node:net';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import fastify from 'fastify';
import type { Env } from '../env.ts';
import { openOwnBackend, ServerInBetweenError, type OwnBackend } from '../own-backend.ts';
import { AccountError } from './accounts.ts';

/** The official client with the service key, and how to leave everything as it was found. */
export type AdminDoor = Readonly<{ supabase: SupabaseClient; close: () => Promise<void> }>;

/** Reaches the accounts wherever they are: on a hosted project or in the embedded backend. Throws AccountError. */
export async function openAdminDoor(env: Env, source: NodeJS.ProcessEnv): Promise<AdminDoor> {
  if (env.SUPABASE_URL !== undefined) return hostedDoor(env.SUPABASE_URL, env.SUPABASE_SERVICE_KEY);
  return backendDoor(await openOwnBackend(env, source).catch(inWords));
}

function hostedDoor(url: string, key: string | undefined): AdminDoor {
  if (key === undefined) {
    throw new AccountError('no_key', 'Für SUPABASE_URL wird auch SUPABASE_SERVICE_KEY gebraucht.');
  }
  return { supabase: serviceClient(url, key), close: async () => undefined };
}

function inWords(error: unknown): never {
  if (!(error instanceof ServerInBetweenError)) throw error;
  const advice = `Der Server auf ${error.message} startet oder endet gerade. Versuche es gleich noch einmal.`;
  throw new AccountError('starting', advice);
}

/** Serves the backend to ourselves alone, so that it is spoken to in the same way as a hosted one. */
async function backendDoor({ backend, close: closeBackend }: OwnBackend): Promise<AdminDoor> {
  const app = fastify({ forceCloseConnections: true });
  const close = async (): Promise<void> => {
    await app.close();
    await closeBackend();
  };
  try {
    await backend.mount(app);
    await app.listen({ port: 0, host: '127.0.0.1' });
  } catch (error) {
    await close();
    throw error;
  }
  const { port } = app.server.address() as AddressInfo;
  return { supabase: serviceClient(`http://127.0.0.1:${port}`, backend.keys.secretKey), close };
}

function serviceClient(url: string, key: string): SupabaseClient {
  return createClient(url, key, { auth: { persistSession: false, autoRefreshToken: false } });
}
