import { pino } from 'pino';
import { openBackend, type Backend, type BackendOptions } from '#backend/index.ts';
import type { Env } from './env.ts';
import { refuseHalfRestored } from './half-restored.ts';
import { FolderInUseError, lockFolder } from './lock.ts';
import { readServerFile } from './server-file.ts';
import { backendOptions } from './start.ts';

export type OwnBackend = Readonly<{ backend: Backend; close: () => Promise<void> }>;

/** The server on the folder is neither running nor gone. */
export class ServerInBetweenError extends Error {}

/**
 * The embedded backend for a command line, wherever its database is: an external one, the running server's, or one that
 * is started for the moment.
 */
export async function openOwnBackend(env: Env, source: NodeJS.ProcessEnv): Promise<OwnBackend> {
  refuseHalfRestored(env.DATA_DIR);
  const options = backendOptions(env, pino({ level: 'silent' }), source);
  // Whether a server runs on an external database nobody can tell from here.
  if (env.DATABASE_URL !== undefined) return opened(beside(options));
  try {
    const lock = await lockFolder(env.DATA_DIR);
    return await opened(options, lock.release).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    return opened({ ...beside(options), database: { kind: 'url', url: await runningDatabase(env.DATA_DIR) } });
  }
}

/** What a running server has begun to take in stays its own. */
function beside(options: BackendOptions): BackendOptions {
  return options.store.kind === 'disk' ? { ...options, store: { ...options.store, shared: true } } : options;
}

async function opened(options: BackendOptions, release?: () => Promise<void>): Promise<OwnBackend> {
  const backend = await openBackend(options);
  return { backend, close: () => backend.close().then(release) };
}

async function runningDatabase(folder: string): Promise<string> {
  const file = await readServerFile(folder);
  if (file !== undefined) return file.databaseUrl;
  throw new ServerInBetweenError(folder);
}
