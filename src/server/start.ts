import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Worker } from '#lib/worker.ts';
import { openBackend, type Backend } from '#backend/index.ts';
import { readProjectConfig } from '#backend/config.ts';
import { createApp } from './app.ts';
import { getBackend } from './backend-client.ts';
import { backendOptions } from './backend-options.ts';
import { applyAccountSettings, applyContributionSettings } from './database-settings.ts';
import { removeNetworkCounts } from './network-counts.ts';
import type { Env } from './env.ts';
import { hostedPlatform } from './hosted-platform.ts';
import { lockFolder, refuseHalfRestored, removeServerFile, writeServerFile } from './data-folder.ts';
import { openDeskMail, openOutboxWorker, tidyOutbox } from './mail/index.ts';
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

/**
 * Starts everything and listens. A start that fails closes what it opened.
 * `prepare` may already call the server; /health says ok only once it has finished.
 */
export async function startServer(
  env: Env,
  log: FastifyBaseLogger,
  source: NodeJS.ProcessEnv,
  prepare?: (server: RunningServer) => Promise<void>,
): Promise<RunningServer> {
  refuseHalfRestored(env.DATA_DIR);
  const lock = await lockFolder(env.DATA_DIR);
  let backend: Backend | undefined;
  let app: FastifyInstance | undefined;
  let deskMail: Worker | undefined;
  let ready = false;
  const outboxWorker = isHosted(env) ? undefined : openOutboxWorker(env, log);
  const stop = async (): Promise<void> => {
    await removeServerFile(env.DATA_DIR);
    // Ends first, because it sends requests to the backend.
    await deskMail?.stop();
    await app?.close();
    await outboxWorker?.stop();
    await backend?.close();
    await lock.release();
  };
  try {
    backend = isHosted(env) ? undefined : await openBackend(backendOptions(env, log, source, outboxWorker?.poke));
    if (backend !== undefined) await applySettings(backend.database, env);
    const platform = backend === undefined ? await openHosted(env, source) : embeddedPlatform(backend);
    app = await createApp({ env, log, platform, isReady: () => ready });
    if (backend !== undefined) removeNetworkCounts(app, backend.database, log);
    await app.listen({ port: env.PORT, host: env.HOST });
    const url = `http://${formatHost(env.HOST)}:${(app.server.address() as AddressInfo).port}`;
    if (backend !== undefined) {
      await writeServerFile(env.DATA_DIR, { url, pid: process.pid, databaseUrl: backend.databaseUrl });
    }
    await tidyOutbox(env);
    await outboxWorker?.start();
    const { browserUrl, serviceKey } = platform;
    const origin = env.PUBLIC_URL ?? url;
    deskMail = openDeskMail(env, log, { backend: getBackend(app, browserUrl), serviceKey, origin });
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

async function applySettings(database: Backend['database'], env: Env): Promise<void> {
  await applyContributionSettings(database, env);
  await applyAccountSettings(database, env);
}

function isHosted(env: Env): boolean {
  return env.SUPABASE_URL !== undefined;
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
