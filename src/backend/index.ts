import path from 'node:path';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authService, type Mailer, type Resolve } from './auth/index.ts';
import { readProjectConfig, type ProjectConfig } from './config.ts';
import {
  awaitDatabase,
  compact,
  migrate,
  openDatabase,
  startCluster,
  type Cluster,
  type Database,
} from './database/index.ts';
import { openKeyRing, type KeyRing } from './keys.ts';
import { migrationPlan } from './migration-plan.ts';
import { restService } from './rest/index.ts';
import {
  DEFAULT_RULES,
  openObjectStore,
  openPartialUploads,
  removeTraces,
  storageService,
  type StorageRules,
  type StoreLocation,
} from './storage/index.ts';

export type { KeyRing } from './keys.ts';
export { listKeysInUse, UnknownKeyError, type KeyInUse } from './key-store.ts';
export { renewKeys, rotateSigningKey, withdrawKey } from './key-store.ts';
export type { CallerContext, Database, Tx } from './database/index.ts';
export { isLinkOpen, type AccountMail, type Mailer as AccountMailer } from './auth/index.ts';
export { getMinimumFreeBytes, type StorageRules, type StoreLocation } from './storage/index.ts';

export type BackendOptions = Readonly<{
  /** Folder with config.toml, migrations/ and seed.sql. */
  projectFolder: string;
  /** Where the embedded PostgreSQL lives, or the URL of another one. */
  database: Readonly<{ kind: 'embedded'; folder: string } | { kind: 'url'; url: string }>;
  /** False where a server may be running on the database: one of an earlier version is left as it is. */
  upgrade?: boolean;
  store: StoreLocation;
  storageRules?: Partial<StorageRules>;
  /** Fixed origin; otherwise each request's own Host counts. */
  publicUrl: string | undefined;
  issuer: string;
  env: NodeJS.ProcessEnv;
  log: FastifyBaseLogger;
  /** Changes to the project's configuration that the operator's environment makes. */
  configure?: (config: ProjectConfig) => ProjectConfig;
  poolSize?: number;
  /** For one statement of a caller. */
  statementTimeoutMs?: number;
  /** How long requests wait for a database that cannot be reached; half as long, at least 5 s, for their turn in it. */
  databaseWaitMs?: number;
  /** Writes and sends the mails of the authentication service. */
  mailer: Mailer;
  /** Milliseconds since 1970; only tests have a clock of their own. */
  now?: () => number;
  /** Called as each step of the opening begins. */
  onStep?: ((step: 'database' | 'migrations') => void) | undefined;
  /** Resolves host names of other providers; only tests replace it. */
  resolve?: Resolve;
}>;

export type Backend = Readonly<{
  /** Mounts /auth/v1, /rest/v1 and /storage/v1. */
  mount: (app: FastifyInstance) => Promise<void>;
  config: ProjectConfig;
  database: Database;
  /** Connects as the owner: for migration tools and tests, never for requests. */
  databaseUrl: string;
  keys: KeyRing;
  /** Whether each part answers now, and whether there is room for uploads. */
  status: () => Promise<Readonly<{ database: boolean; storage: boolean; room: boolean }>>;
  /**
   * Removes traces beyond the objects' rows: ends resumable uploads to names in a bucket with this prefix, and waits
   * until the bytes of removed objects are deleted. Throws where the store fails.
   */
  removeTraces: (bucket: string, prefix: string) => Promise<void>;
  /** Removes deleted rows from the disk of the embedded database; throws where it is busy. */
  compact: (() => Promise<void>) | undefined;
  /** Resolves when the embedded PostgreSQL ended and cannot be started again. */
  databaseFailed: Promise<Error> | undefined;
  close: () => Promise<void>;
}>;

/** Opens database and store, migrates the schema and creates the keys at the first start. Throws as `migrate` does. */
export async function openBackend(options: BackendOptions): Promise<Backend> {
  const read = await readProjectConfig(options.projectFolder, options.env, (key) =>
    options.log.warn({ key }, 'config.toml: key without effect'),
  );
  const config = options.configure?.(read) ?? read;
  options.onStep?.('database');
  const cluster =
    options.database.kind === 'embedded'
      ? await startCluster({ folder: options.database.folder, log: options.log })
      : undefined;
  const databaseUrl = options.database.kind === 'url' ? options.database.url : (cluster?.url('postgres') ?? '');
  try {
    if (cluster === undefined) {
      // The database may be restarting together with this server.
      await awaitDatabase(databaseUrl, START_TIMEOUT_MS, () =>
        options.log.warn({}, 'database out of reach, waiting up to 30 s'),
      );
    }
    options.onStep?.('migrations');
    const plan = await migrationPlan(options.projectFolder, config, databaseUrl);
    const onStopped = (cause: string): void => options.log.warn({ cause }, 'migration stopped by locks, tried again');
    const { applied } = await migrate(plan, { upgrade: options.upgrade, onStopped });
    if (applied.length > 0) options.log.info({ migrations: applied }, 'migrations applied');
    return await assemble(options, config, databaseUrl, cluster);
  } catch (error) {
    await cluster?.stop();
    throw error;
  }
}

const START_TIMEOUT_MS = 30_000;

async function openKeysAndStore(options: BackendOptions, { auth }: ProjectConfig, database: Database) {
  const { projectFolder, now = Date.now } = options;
  const signingKeysFile = auth.signing_keys_path && path.resolve(projectFolder, auth.signing_keys_path);
  const issuer = auth.jwt_issuer ?? options.issuer;
  const keys = await openKeyRing({ database, issuer, signingKeysFile, secret: auth.jwt_secret, now });
  const store = await openObjectStore(options.store);
  return { keys, store, partials: await openPartialUploads(options.store, store) };
}

async function assemble(
  options: BackendOptions,
  config: ProjectConfig,
  databaseUrl: string,
  cluster: Cluster | undefined,
): Promise<Backend> {
  const { poolSize = 10, databaseWaitMs } = options;
  const database = openDatabase({
    url: databaseUrl,
    poolSize,
    statementTimeoutMs: options.statementTimeoutMs,
    reconnectTimeoutMs: databaseWaitMs,
    // Only the message is logged: the error object holds the whole connection with its secrets.
    onError: (error) => options.log.warn({ cause: error.message }, 'database connection lost'),
  });
  const { keys, store, partials } = await openKeysAndStore(options, config, database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  const publicUrl = ({ protocol, host }: FastifyRequest) => options.publicUrl ?? `${protocol}://${host}`;
  const deps = { database, keys, config, log: options.log, publicUrl };
  return {
    mount: (app) => mountServices(app, options, { ...deps, store, partials, connections: poolSize, databaseWaitMs }),
    config,
    database,
    databaseUrl,
    keys,
    status: () => readStatus([database.ping(), store.ping(), partials.requireSpace(0)]),
    removeTraces: (bucket, prefix) => removeTraces({ database, store, partials, log: options.log }, { bucket, prefix }),
    compact: cluster === undefined ? undefined : () => compactAll(databaseUrl, cluster),
    databaseFailed: cluster?.failed,
    close: async () => {
      await database.close();
      await store.close();
      await cluster?.stop();
    },
  };
}

type MountDeps = Omit<Parameters<typeof storageService>[0], 'rules'> & Parameters<typeof restService>[0];

async function mountServices(app: FastifyInstance, options: BackendOptions, deps: MountDeps): Promise<void> {
  const { mailer, resolve, issuer: externalUrl, now = Date.now } = options;
  await app.register(async (services) => {
    services.addHook('onSend', setRetryAfter);
    await services.register(authService({ ...deps, mailer, externalUrl, now, resolve }), { prefix: '/auth/v1' });
    await services.register(async (rest) => {
      // Rows are personal data and must not be cached.
      rest.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
      await rest.register(restService(deps), { prefix: '/rest/v1' });
    });
    const rules = { ...DEFAULT_RULES, ...options.storageRules };
    await services.register(storageService({ ...deps, rules }), { prefix: '/storage/v1' });
  });
}

/** Empties PostgreSQL's log first, which works even where a table is in use. */
async function compactAll(databaseUrl: string, cluster: Cluster): Promise<void> {
  await cluster.clearLog();
  await compact(databaseUrl);
}

/** Adds the time to try again, a second, to each 503 (RFC 9110 §10.2.3). */
async function setRetryAfter(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (reply.statusCode === 503 && !reply.hasHeader('retry-after')) void reply.header('retry-after', 1);
}

async function readStatus(asked: readonly [Promise<void>, Promise<void>, Promise<void>]) {
  const [database, storage, room] = await Promise.allSettled(asked);
  const works = ({ status }: PromiseSettledResult<void>): boolean => status === 'fulfilled';
  return { database: works(database), storage: works(storage), room: works(room) };
}
