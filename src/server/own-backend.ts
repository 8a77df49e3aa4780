import type { AddressInfo } from 'node:net';
import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { openBackend, type Backend, type BackendOptions } from '#backend/index.ts';
import type { Env } from './env.ts';
import { FolderInUseError, lockFolder, readServerFile, refuseHalfRestored } from './data-folder.ts';
import { backendOptions } from './backend-options.ts';
import { accountMailer } from './mail/index.ts';

export type OwnBackend = Readonly<{ backend: Backend; close: () => Promise<void> }>;

/**
 * Opens the embedded backend for a command, on an external database, the running server's, or one that is started for
 * the moment.
 */
export async function openOwnBackend(env: Env, source: NodeJS.ProcessEnv): Promise<OwnBackend> {
  refuseHalfRestored(env.DATA_DIR);
  const options = backendOptions(env, pino({ level: 'silent' }), source, accountMailer(env));
  // Servers on other machines may use an external database.
  if (env.DATABASE_URL !== undefined) return open(besideServer(options));
  try {
    const lock = await lockFolder(env.DATA_DIR);
    return await open(options, lock.release).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
  } catch (error) {
    if (!(error instanceof FolderInUseError)) throw error;
    return open({ ...besideServer(options), database: { kind: 'url', url: await runningDatabase(env.DATA_DIR) } });
  }
}

/** Leaves the files alone that a running server is receiving, and the database as its version has it. */
function besideServer(options: BackendOptions): BackendOptions {
  const { store } = options;
  return { ...options, store: store.kind === 'disk' ? { ...store, shared: true } : store, upgrade: false };
}

async function open(options: BackendOptions, release?: () => Promise<void>): Promise<OwnBackend> {
  const backend = await openBackend(options);
  return { backend, close: () => backend.close().then(release) };
}

async function runningDatabase(folder: string): Promise<string> {
  const file = await readServerFile(folder);
  if (file !== undefined) return file.databaseUrl;
  throw new Error(`Der Server auf ${folder} startet oder endet gerade. Versuche es gleich noch einmal.`);
}

export type ServedBackend = OwnBackend & Readonly<{ url: string; app: FastifyInstance }>;

/** Serves the backend on a local port, so a command uses the official client as with a hosted one. */
export async function serveOwnBackend(env: Env, source: NodeJS.ProcessEnv): Promise<ServedBackend> {
  const { backend, close: closeBackend } = await openOwnBackend(env, source);
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
  return { url: `http://127.0.0.1:${port}`, app, backend, close };
}
