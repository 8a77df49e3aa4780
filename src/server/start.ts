import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { readProjectConfig } from '#backend/config.ts';
import { openBackend, type Backend, type Database, type Tx } from '#backend/index.ts';
import { describeCause } from '#lib/error-code.ts';
import type { Worker } from '#lib/worker.ts';
import { createApp } from './app.ts';
import { getBackend } from './backend-client.ts';
import { backendOptions } from './backend-options.ts';
import { type FolderLock, lockFolder, refuseHalfRestored, removeServerFile, writeServerFile } from './data-folder.ts';
import type { Env } from './env.ts';
import { embeddedPlatform, getPasswordRules, hostedPlatform, type Platform } from './platform.ts';
import { accountMailer, openDeskMail, openOutboxWorker, tidyDataFolder, tidyOutbox } from './mail/index.ts';
import { describeListenError } from './start-error.ts';
import { createClosing, runSteps } from './stop.ts';

export type RunningServer = Readonly<{
  url: string;
  app: FastifyInstance;
  /** undefined with a hosted project. */
  backend: Backend | undefined;
  /** undefined without a service key. */
  deskMail: Worker | undefined;
  stop: () => Promise<void>;
}>;

type StartHooks = Readonly<{
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
  readonly closing: ReturnType<typeof createClosing>;
};

/** Starts everything and listens. A start that fails closes what it opened. */
export async function startServer(
  env: Env,
  log: FastifyBaseLogger,
  source: NodeJS.ProcessEnv,
  { prepare, onStep }: StartHooks = {},
): Promise<RunningServer> {
  refuseHalfRestored(env.DATA_DIR);
  const lock = await lockFolder(env.DATA_DIR);
  const opened: Opened = { closing: createClosing() };
  let ready = false;
  const stop = (): Promise<void> => stopAll(env, opened, lock);
  try {
    await tidyDataFolder(env);
    // Commands would look for their database at the address of a killed server.
    await removeServerFile(env.DATA_DIR);
    const platform = await openPlatform({ opened, onStep }, env, log, source);
    onStep?.('services');
    const { backend } = opened;
    const app = (opened.app = await createApp({ env, log, platform, isReady: () => ready, ...opened.closing }));
    tidyPeriodically(app, env, backend, log);
    const url = await listen(app, env, backend);
    await opened.outboxWorker?.start();
    const access = { backend: getBackend(app, platform.browserUrl), serviceKey: platform.serviceKey };
    const deskMail = (opened.deskMail = openDeskMail(env, log, { ...access, origin: env.PUBLIC_URL ?? url }));
    deskMail?.poke();
    const server = { url, app, backend, deskMail, stop };
    await prepare?.(server);
    ready = true;
    return server;
  } catch (error) {
    // What fails now would hide why the start failed.
    await stop().catch(() => undefined);
    throw error;
  }
}

function stopAll(env: Env, opened: Opened, lock: FolderLock): Promise<void> {
  return runSteps([
    () => removeServerFile(env.DATA_DIR),
    // These send requests to the backend, which answers none once the application closes.
    () => opened.deskMail?.stop(),
    // Conversations and mails need the rest of the time.
    () => opened.closing.endWithin((env.STOP_TIMEOUT_S * 1_000) / 2),
    () => opened.app?.close(),
    () => opened.outboxWorker?.stop(),
    () => opened.backend?.close(),
    lock.release,
  ]);
}

async function openPlatform(
  { opened, onStep }: Readonly<{ opened: Opened; onStep: StartHooks['onStep'] }>,
  env: Env,
  log: FastifyBaseLogger,
  source: NodeJS.ProcessEnv,
): Promise<Platform> {
  if (env.SUPABASE_URL !== undefined) return openHosted(env, source);
  opened.outboxWorker = openOutboxWorker(env, log, () => opened.backend?.database);
  const options = backendOptions(env, log, source, accountMailer(env, opened.outboxWorker?.poke));
  opened.backend = await openBackend({ ...options, onStep });
  await applySettings(opened.backend.database, env);
  return embeddedPlatform(opened.backend);
}

/** Returns the address, which commands find in the data folder. */
async function listen(app: FastifyInstance, env: Env, backend: Backend | undefined): Promise<string> {
  await app.listen({ port: env.PORT, host: env.HOST }).catch((error: unknown) => {
    throw describeListenError(error, { host: env.HOST, port: env.PORT });
  });
  const host = env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST;
  const url = `http://${host}:${(app.server.address() as AddressInfo).port}`;
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
    passwords: getPasswordRules(auth),
  });
}

/** Stores the operator's settings where row-level security reads them (D9, D11). */
async function applySettings(database: Database, env: Env): Promise<void> {
  await configure(database, 'private.configure(text, jsonb)', async (tx) => {
    await tx.query(`select private.configure('open_contributions', to_jsonb($1::boolean))`, [env.OPEN_CONTRIBUTIONS]);
    await tx.query('select private.configure_contribution_limits($1)', [JSON.stringify(getContributionLimits(env))]);
    await tx.query('select private.configure_uploads($1, $2, $3, $4)', [
      env.UPLOAD_QUOTA_FILES,
      env.UPLOAD_QUOTA_BYTES,
      env.UPLOAD_QUOTA_NETWORK_FILES,
      env.UPLOAD_QUOTA_NETWORK_BYTES,
    ]);
    await tx.query(`update storage.buckets set public = $1 where id = 'Media'`, [env.MEDIA_BUCKET_PUBLIC]);
  });
  await configure(database, 'private.require_second_factor(text[])', (tx) =>
    tx.query('select private.require_second_factor($1)', [env.MFA_REQUIRED_ROLES]),
  );
  await configure(database, 'private.require_consent(text)', (tx) =>
    tx.query('select private.require_consent($1)', [env.CONSENT_TEXT?.text ?? null]),
  );
}

/** Does nothing where the folder is that of another project (SUPABASE_DIR), which has none of these functions. */
async function configure(database: Database, needed: string, work: (tx: Tx) => Promise<unknown>): Promise<void> {
  await database.asOwner(async (tx) => {
    const found = await tx.query('select to_regprocedure($1) is not null as known', [needed]);
    if (found.rows[0]?.['known'] === true) await work(tx);
  });
}

function getContributionLimits(env: Env): Readonly<Record<string, number>> {
  return {
    contributions_per_hour: env.CONTRIBUTIONS_PER_HOUR,
    rows_per_hour: env.CONTRIBUTION_ROWS_PER_HOUR,
    characters_per_hour: env.CONTRIBUTION_CHARACTERS_PER_HOUR,
    files: env.LIMIT_FILES,
    turns: env.LIMIT_TURNS,
    feedback: env.LIMIT_FEEDBACK,
    transcript_characters: env.LIMIT_TRANSCRIPT_CHARACTERS,
    turn_characters: env.LIMIT_TURN_CHARACTERS,
    answer_characters: env.LIMIT_ANSWER_CHARACTERS,
  };
}

const EVERY_MS = 10 * 60_000;

/** Removes hashed addresses of contributors after their hour, and texts of mails that were taken away. */
function tidyPeriodically(app: FastifyInstance, env: Env, backend: Backend | undefined, log: FastifyBaseLogger): void {
  const forget = async ({ database }: Backend): Promise<void> =>
    configure(database, 'private.forget_networks()', (tx) => tx.query('select private.forget_networks()'));
  const warn = (event: string) => (error: unknown) => log.warn({ cause: describeCause(error) }, event);
  const timer = setInterval(() => {
    if (backend !== undefined) forget(backend).catch(warn('network counts not removed'));
    tidyOutbox(env).catch(warn('texts of mails not removed'));
  }, EVERY_MS);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
}
