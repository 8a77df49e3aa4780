import type { AddressInfo } from 'node:net';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import fastify from 'fastify';
import { pino } from 'pino';
import { openBackend, type BackendOptions } from '#backend/index.ts';
import type { Env } from '../env.ts';
import { refuseHalfRestored } from '../half-restored.ts';
import { FolderInUseError, lockFolder } from '../lock.ts';
import { readServerFile } from '../server-file.ts';
import { backendOptions } from '../start.ts';
import { AccountError } from './accounts.ts';

/** The official client with the service key, and how to leave everything as it was found. */
export type AdminDoor = Readonly<{ supabase: SupabaseClient; close: () => Promise<void> }>;

/**
 * Reaches the accounts wherever they are: on a hosted project, in an external database, in the running server's database
 * or in one that is started for the moment. Throws AccountError.
 */
export async function openAdminDoor(env: Env, source: NodeJS.ProcessEnv): Promise<AdminDoor> {
  if (env.SUPABASE_URL !== undefined) return hostedDoor(env.SUPABASE_URL, env.SUPABASE_SERVICE_KEY);
  refuseHalfRestored(env.DATA_DIR);
  const options = backendOptions(env, pino({ level: 'silent' }), source);
  if (env.DATABASE_URL !== undefined) return backendDoor(options);
  try {
    const lock = await lockFolder(env.DATA_DIR);
    return await backendDoor(options, lock.release).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    return backendDoor({ ...options, database: { kind: 'url', url: await runningDatabase(env.DATA_DIR) } });
  }
}

function hostedDoor(url: string, key: string | undefined): AdminDoor {
  if (key === undefined) {
    throw new AccountError('no_key', 'Für SUPABASE_URL wird auch SUPABASE_SERVICE_KEY gebraucht.');
  }
  return { supabase: serviceClient(url, key), close: async () => undefined };
}

async function runningDatabase(folder: string): Promise<string> {
  const file = await readServerFile(folder);
  if (file !== undefined) return file.databaseUrl;
  throw new AccountError(
    'starting',
    `Der Server auf ${folder} startet oder endet gerade. Versuche es gleich noch einmal.`,
  );
}

/** Serves the backend to ourselves alone, so that it is spoken to in the same way as a hosted one. */
async function backendDoor(options: BackendOptions, release?: () => Promise<void>): Promise<AdminDoor> {
  const backend = await openBackend(options);
  const app = fastify({ forceCloseConnections: true });
  const close = async (): Promise<void> => {
    await app.close();
    await backend.close();
    await release?.();
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
