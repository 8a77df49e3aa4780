import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Worker } from '#lib/worker.ts';
import { type Backend, openBackend } from '#backend/index.ts';
import { readProjectConfig } from '#backend/config.ts';
import { createApp } from './app.ts';
import { getBackend } from './backend-client.ts';
import { backendOptions } from './backend-options.ts';
import { applySettings, removeNetworkCounts } from './database-settings.ts';
import type { Env } from './env.ts';
import { hostedPlatform } from './hosted-platform.ts';
import { lockFolder, refuseHalfRestored, removeServerFile, writeServerFile } from './data-folder.ts';
import { openDeskMail, openOutboxWorker, tidyOutbox } from './mail/index.ts';
import { describeListenError } from './listen-error.ts';
import { embeddedPlatform, type Platform } from './platform.ts';

export type RunningServer = Readonly<{
  url: string;
  app: FastifyInstance;
  /** undefined with a hosted project. */
  backend: Backend | undefined;
  /** undefined without a service key. */
  deskMail: Worker | undefined;
  stop: () => Promise<void>;
}>;

export type StartHooks = Readonly<{
  /** May already call the server; /health says ok only once it has finished. */
  prepare?: (server: RunningServer) => Promise<void>;
  /** Called as each step begins. */
  onStep?: (step: 'database' | 'migrations' | 'services') => void;
}>;

/** Receives what a start opens, so that a failed start closes it. */
type Opened = {
  backend?: Backend;
  app?: FastifyInstance;
  outboxWorker?: ReturnType<typeof openOutboxWorker>;
  deskMail?: Worker | undefined;
};

/**
 * Starts everything and listens. A start that fails closes what it opened.
 */
export async function startServer(
  env: Env,
  log: FastifyBaseLogger,
  source: NodeJS.ProcessEnv,
  { prepare, onStep }: StartHooks = {},
): Promise<RunningServer> {
  refuseHalfRestored(env.DATA_DIR);
  const lock = await lockFolder(env.DATA_DIR);
  const opened: Opened = {};
  let ready = false;
  const stop = async (): Promise<void> => {
    await removeServerFile(env.DATA_DIR);
    // Ends first, because it sends requests to the backend.
    await opened.deskMail?.stop();
    await opened.app?.close();
    await opened.outboxWorker?.stop();
    await opened.backend?.close();
    await lock.release();
  };
  try {
    const platform = await openPlatform({ opened, onStep }, env, log, source);
    onStep?.('services');
    const { backend } = opened;
    const app = (opened.app = await createApp({ env, log, platform, isReady: () => ready }));
    if (backend !== undefined) removeNetworkCounts(app, backend.database, log);
    const url = await listen(app, env, backend);
    await tidyOutbox(env);
    await opened.outboxWorker?.start();
    const access = { backend: getBackend(app, platform.browserUrl), serviceKey: platform.serviceKey };
    const deskMail = (opened.deskMail = openDeskMail(env, log, { ...access, origin: env.PUBLIC_URL ?? url }));
    deskMail?.poke();
    const server = { url, app, backend, deskMail, stop };
    await prepare?.(server);
    ready = true;
    return server;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openPlatform(
  { opened, onStep }: Readonly<{ opened: Opened; onStep: StartHooks['onStep'] }>,
  env: Env,
  log: FastifyBaseLogger,
  source: NodeJS.ProcessEnv,
): Promise<Platform> {
  if (env.SUPABASE_URL !== undefined) return openHosted(env, source);
  opened.outboxWorker = openOutboxWorker(env, log);
  opened.backend = await openBackend({
    ...backendOptions(env, log, source, opened.outboxWorker?.poke),
    onStep,
  });
  await applySettings(opened.backend.database, env);
  return embeddedPlatform(opened.backend);
}

/** Returns the address, which commands find in the data folder. */
async function listen(app: FastifyInstance, env: Env, backend: Backend | undefined): Promise<string> {
  await app.listen({ port: env.PORT, host: env.HOST }).catch((error: unknown) => {
    throw describeListenError(error, { host: env.HOST, port: env.PORT });
  });
  const url = `http://${formatHost(env.HOST)}:${(app.server.address() as AddressInfo).port}`;
  if (backend !== undefined) {
    await writeServerFile(env.DATA_DIR, { url, pid: process.pid, databaseUrl: backend.databaseUrl });
  }
  return url;
}

/** Reads only the settings that the browser shows: the hosted project has its own for the rest. */
async function openHosted(env: Env, source: NodeJS.ProcessEnv): Promise<Platform> {
  const { auth } = await readProjectConfig(env.SUPABASE_DIR, source);
  return hostedPlatform({
    url: env.SUPABASE_URL ?? '',
    key: env.SUPABASE_KEY ?? '',
    serviceKey: env.SUPABASE_SERVICE_KEY,
    captcha: auth.captcha,
    currentPassword: auth.security.update_password_require_current_password,
  });
}

function formatHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
