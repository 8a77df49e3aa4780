import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { StoreLocation } from '#backend/index.ts';
import {
  hasCluster,
  migrationPlan,
  readProjectConfig,
  removeCluster,
  startCluster,
  type MigrationPlan,
} from '#backend/maintenance.ts';
import { writeDurably } from '#lib/durable-file.ts';
import { getStoreLocation } from '../backend-options.ts';
import { FolderInUseError, lockFolder, readServerFile } from '../data-folder.ts';
import type { Env } from '../env.ts';
import { BackupError } from './errors.ts';

/** An installation whose database runs. */
export type Installation = Readonly<{
  dataDir: string;
  databaseUrl: string;
  store: StoreLocation;
  /** All migrations this checkout knows. */
  plan: MigrationPlan;
  /** Stops a database that was started for this. */
  close: () => Promise<void>;
}>;

export type EmptyInstallation = Installation &
  Readonly<{
    /** Closes, and removes an embedded database that was not there before. */
    discard: () => Promise<void>;
  }>;

type Reached = Readonly<{ url: string; close: () => Promise<void> }>;

/** Opens an external database, the running server's, or starts one for the moment. Throws BackupError. */
export async function openForReading(env: Env, source: NodeJS.ProcessEnv): Promise<Installation> {
  return installation(env, source, async () => {
    if (env.DATABASE_URL !== undefined) return { url: env.DATABASE_URL, close: async () => undefined };
    try {
      const lock = await lockFolder(env.DATA_DIR);
      if (hasCluster(postgresFolder(env))) return await started(env, 'serve', lock.release);
      await lock.release();
      throw new BackupError('no_database', env.DATA_DIR);
    } catch (error) {
      if (!(error instanceof FolderInUseError)) throw error;
      return { url: await runningDatabase(env.DATA_DIR), close: async () => undefined };
    }
  });
}

/** Requires that no server works on the folder. Throws BackupError. */
export async function openForFilling(env: Env, source: NodeJS.ProcessEnv): Promise<EmptyInstallation> {
  const before = existsSync(postgresFolder(env));
  const opened = await installation(env, source, async () => {
    const lock = await lockFolder(env.DATA_DIR).catch((error: unknown) => {
      throw error instanceof FolderInUseError ? new BackupError('server_runs', env.DATA_DIR) : error;
    });
    return env.DATABASE_URL === undefined
      ? started(env, 'fill', lock.release)
      : { url: env.DATABASE_URL, close: lock.release };
  });
  const discard = async (): Promise<void> => {
    await opened.close();
    if (!before) await removeCluster(postgresFolder(env));
  };
  return { ...opened, discard };
}

async function installation(env: Env, source: NodeJS.ProcessEnv, reach: () => Promise<Reached>): Promise<Installation> {
  if (env.SUPABASE_URL !== undefined) throw new BackupError('hosted');
  const config = await readProjectConfig(env.SUPABASE_DIR, source);
  const { url, close } = await reach();
  const plan = await migrationPlan(env.SUPABASE_DIR, config, url).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { dataDir: env.DATA_DIR, databaseUrl: url, store: getStoreLocation(env), plan, close };
}

/** Holds the folder's lock until the database has stopped. */
async function started(env: Env, purpose: 'serve' | 'fill', release: () => Promise<void>): Promise<Reached> {
  try {
    const cluster = await startCluster({ folder: postgresFolder(env), purpose });
    const close = async (): Promise<void> => {
      await cluster.stop();
      await release();
    };
    return { url: cluster.url('postgres'), close };
  } catch (error) {
    await release();
    throw error;
  }
}

async function runningDatabase(folder: string): Promise<string> {
  const file = await readServerFile(folder);
  if (file === undefined) throw new BackupError('server_turns', folder);
  return file.databaseUrl;
}

function postgresFolder(env: Env): string {
  return path.join(env.DATA_DIR, 'postgres');
}

/**
 * Files of a data folder that a backup keeps besides database and stored files: mails, and the first accounts with
 * their mark. `server.json` and other files are left out.
 */
const KEPT =
  /^(?:outbox\/[\w.@-]{1,80}\.(?:eml|json|sending|unsure|failed|expired)|zugangsdaten\.(?:json|unvollstaendig))$/;
const OUTBOX = 'outbox';

type DataFile = Readonly<{ name: string; content: Buffer }>;

export async function* readDataFiles(dataDir: string): AsyncGenerator<DataFile> {
  for (const name of await listKeptNames(dataDir)) {
    // A mail may be sent and removed at this moment.
    const content = await readFile(path.join(dataDir, name)).catch(() => undefined);
    if (content !== undefined) yield { name, content };
  }
}

export async function hasDataFiles(dataDir: string): Promise<boolean> {
  return (await listKeptNames(dataDir)).length > 0;
}

export function isDataFile(name: string): boolean {
  return KEPT.test(name);
}

export async function writeDataFile(dataDir: string, { name, content }: DataFile): Promise<void> {
  const file = path.join(dataDir, name);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeDurably(file, content);
}

/** A mail that waited at the backup may be sent by now, and none is sent twice (decision 0032): it is set aside. */
export function toUnsentName(name: string): string {
  return name.replace(/\.(?:eml|sending)$/, '.unsure');
}

async function listKeptNames(dataDir: string): Promise<string[]> {
  const names = async (folder: string): Promise<string[]> => readdir(path.join(dataDir, folder)).catch(() => []);
  const mails = (await names(OUTBOX)).map((name) => `${OUTBOX}/${name}`);
  return [...(await names('.')), ...mails].filter(isDataFile).toSorted();
}
