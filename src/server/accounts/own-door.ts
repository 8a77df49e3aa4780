import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { Backend } from '#backend/index.ts';
import type { Env } from '../env.ts';
import { openOwnBackend, ServerInBetweenError, type OwnBackend } from '../own-backend.ts';
import { AccountError } from './accounts.ts';

/** The embedded backend behind an address of its own. */
export type OwnDoor = Readonly<{ url: string; key: string; backend: Backend; close: () => Promise<void> }>;

/**
 * Serves the backend to ourselves alone, so that it is spoken to in the same way as a hosted one. Throws AccountError.
 */
export async function openOwnDoor(env: Env, source: NodeJS.ProcessEnv): Promise<OwnDoor> {
  return serve(await openOwnBackend(env, source).catch(inWords));
}

function inWords(error: unknown): never {
  if (!(error instanceof ServerInBetweenError)) throw error;
  const advice = `Der Server auf ${error.message} startet oder endet gerade. Versuche es gleich noch einmal.`;
  throw new AccountError('starting', advice);
}

async function serve({ backend, close: closeBackend }: OwnBackend): Promise<OwnDoor> {
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
  return { url: `http://127.0.0.1:${port}`, key: backend.keys.secretKey, backend, close };
}
