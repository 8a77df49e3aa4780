import path from 'node:path';
import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Worker } from '#lib/worker.ts';
import { openBackend, type Backend, type BackendOptions } from '#backend/index.ts';
import { readProjectConfig, type ProjectConfig } from '#backend/config.ts';
import { createApp } from './app.ts';
import { applyContributionSettings, forgetNetworks } from './contributions/index.ts';
import { applyAccountSettings } from './accounts/index.ts';
import type { Env } from './env.ts';
import { refuseHalfRestored } from './half-restored.ts';
import { hostedPlatform } from './hosted-platform.ts';
import { lockFolder } from './lock.ts';
import { accountMailer, openDeskMail, openOutboxWorker, tidyOutbox } from './mail/index.ts';
import { embeddedPlatform, type Platform } from './platform.ts';
import { removeServerFile, writeServerFile } from './server-file.ts';
import { storageRules } from './storage-rules.ts';
import { storeLocation } from './store-location.ts';

export type RunningServer = Readonly<{
  url: string;
  app: FastifyInstance;
  /** Undefined where a hosted project is used instead. */
  backend: Backend | undefined;
  /** Undefined where nobody may take mails out of the queue. */
  deskMail: Worker | undefined;
  stop: () => Promise<void>;
}>;

/**
 * Everything between a read environment and a listening server. What was opened is closed again where the start fails.
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
    // It speaks to this very server, so it ends first.
    await deskMail?.stop();
    await app?.close();
    await outboxWorker?.stop();
    await backend?.close();
    await lock.release();
  };
  try {
    backend = isHosted(env) ? undefined : await openBackend(backendOptions(env, log, source, outboxWorker?.poke));
    if (backend !== undefined) await applySettings(backend.database, env);
    const platform = backend === undefined ? await hosted(env, source) : embeddedPlatform(backend);
    app = await createApp({ env, log, platform, isReady: () => ready });
    if (backend !== undefined) forgetNetworks(app, backend.database, log);
    await app.listen({ port: env.PORT, host: env.HOST });
    const url = `http://${bracketed(env.HOST)}:${(app.server.address() as AddressInfo).port}`;
    if (backend !== undefined) {
      await writeServerFile(env.DATA_DIR, { url, pid: process.pid, databaseUrl: backend.databaseUrl });
    }
    await tidyOutbox(env);
    await outboxWorker?.start();
    const { browserUrl, serviceKey } = platform;
    const origin = env.PUBLIC_URL ?? url;
    deskMail = openDeskMail(env, log, { url: browserUrl ?? reachable(url), serviceKey, origin });
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

/** Of the project's file only what the browser has to show is read: the rest is the hosted project's own. */
async function hosted(env: Env, source: NodeJS.ProcessEnv): Promise<Platform> {
  const { auth } = await readProjectConfig(env.SUPABASE_DIR, source);
  return hostedPlatform({
    url: env.SUPABASE_URL ?? '',
    key: env.SUPABASE_KEY ?? '',
    serviceKey: env.SUPABASE_SERVICE_KEY,
    captcha: auth.captcha,
    currentPassword: auth.security.update_password_require_current_password,
  });
}

/** `mailWritten` is told of each new mail in the outbox. */
export function backendOptions(
  env: Env,
  log: FastifyBaseLogger,
  source: NodeJS.ProcessEnv,
  mailWritten?: () => void,
): BackendOptions {
  return {
    projectFolder: env.SUPABASE_DIR,
    database:
      env.DATABASE_URL === undefined
        ? { kind: 'embedded', folder: path.join(env.DATA_DIR, 'postgres') }
        : { kind: 'url', url: env.DATABASE_URL },
    store: storeLocation(env),
    storageRules: storageRules(env),
    publicUrl: env.PUBLIC_URL,
    issuer: `${env.PUBLIC_URL ?? `http://127.0.0.1:${env.PORT}`}/auth/v1`,
    env: source,
    log,
    poolSize: env.DATABASE_POOL,
    mailer: accountMailer(env, mailWritten),
    configure: (config) => withOperatorsWishes(config, env),
  };
}

/** What the environment decides above the project's file: where the site is, and how often one address may call. */
function withOperatorsWishes(config: ProjectConfig, env: Env): ProjectConfig {
  const limit = env.AUTH_RATE_LIMIT;
  const limits =
    limit === undefined ? {} : { token_refresh: limit, sign_in_sign_ups: limit, token_verifications: limit };
  const site_url = env.PUBLIC_URL ?? config.auth.site_url;
  // Who opens the application by this machine's name comes back to it from a mail.
  const local = env.PUBLIC_URL === undefined ? [`http://localhost:${env.PORT}/**`] : [];
  const additional_redirect_urls = [...config.auth.additional_redirect_urls, ...local];
  const rate_limit = { ...config.auth.rate_limit, ...limits };
  const api = {
    ...config.api,
    max_answer_rows: env.REST_ANSWER_ROWS ?? config.api.max_answer_rows,
    max_answer_bytes: env.REST_ANSWER_BYTES ?? config.api.max_answer_bytes,
    max_insert_rows: env.REST_INSERT_ROWS ?? config.api.max_insert_rows,
    max_concurrent: env.REST_CONCURRENT ?? config.api.max_concurrent,
    max_unread_bytes: env.REST_UNREAD_BYTES ?? config.api.max_unread_bytes,
    max_unread_bytes_per_caller: env.REST_UNREAD_BYTES_PER_CALLER ?? config.api.max_unread_bytes_per_caller,
  };
  return { ...config, api, auth: { ...config.auth, site_url, additional_redirect_urls, rate_limit } };
}

/** Under an address that means 'all of them' nobody can be called. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
