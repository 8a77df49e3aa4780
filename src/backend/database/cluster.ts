import { randomBytes } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { writeDurably } from '#lib/durable-file.ts';
import { becomesReady } from './becomes-ready.ts';
import {
  chooseLauncher,
  isRunning,
  type Launcher,
  findNativeFolder,
  getReachableFolder,
  NOBODY,
  copyWhereReachable,
  runOnce,
  start,
} from './launcher.ts';
import { clearLog, limitLog, openReserve } from './housekeeping.ts';
import { buildCommandLine, type Durability } from './settings.ts';
import { makeSocketFolder, removeAbandonedFolders } from './socket-folder.ts';
import { type ClusterLog, supervise, type Supervised } from './supervisor.ts';

export type ClusterOptions = Readonly<{
  /** Folder that holds everything of this cluster; made if missing. */
  folder: string;
  log?: ClusterLog;
}> &
  Durability;

/** PostgreSQL does not start; the message says where to look. */
export class ClusterStartError extends Error {
  /** There may be room again by the time anybody looks. */
  readonly diskWasFull: boolean;
  constructor(why: string, diskWasFull = false) {
    super(`PostgreSQL does not start: ${why}`);
    this.name = 'ClusterStartError';
    this.diskWasFull = diskWasFull;
  }
}

/** How long a start may take, e.g. while the one before is still shutting down on the same folder. */
const START_TIMEOUT_MS = 30_000;
/** Starts that may end by themselves although no other PostgreSQL uses the folder. */
const MAX_FAILED_STARTS = 20;
const MAINTAIN_EVERY_MS = 60_000;

/**
 * A running embedded PostgreSQL; `url` connects as its superuser. Starts the PostgreSQL in `folder`, initialising it
 * the first time, and again whenever it ends by itself. Listens on a private Unix socket only. Throws
 * ClusterStartError.
 */
export async function startCluster(options: ClusterOptions) {
  await removeAbandonedFolders();
  const launcher = await chooseLauncher(options.folder);
  const place = await preparePlace(options.folder, launcher);
  const password = await initialise(place, launcher);
  const socket = await makeSocketFolder(launcher);
  // Names the port and TLS too: clients take what an address leaves out from the shell (PGPORT, PGSSLMODE).
  const parameters = `host=${encodeURIComponent(socket)}&sslmode=disable`;
  const url = (database: string): string =>
    `postgres://postgres:${password}@localhost:5432/${encodeURIComponent(database)}?${parameters}`;
  const removeSocket = (): Promise<void> => rm(socket, { recursive: true, force: true });
  const starting = { place, launcher, command: buildCommandLine(place.data, socket, options), url: url('postgres') };
  const { failed, stop } = await keepRunning(starting, options).catch(async (error: unknown) => {
    await removeSocket();
    throw error;
  });
  return {
    url,
    /** Resolves with a ClusterStartError when PostgreSQL ended and cannot be started again. */
    failed,
    /** Empties PostgreSQL's own log. */
    clearLog: (): Promise<void> => clearLog(place.log),
    stop: (): Promise<void> => stop().then(removeSocket),
  };
}

export type Cluster = Awaited<ReturnType<typeof startCluster>>;

type Starting = Readonly<{ place: Place; launcher: Launcher; command: readonly string[]; url: string }>;

/** Waits out a full disk after releasing the reserve; any other cause that keeps PostgreSQL from starting is final. */
async function keepRunning(starting: Starting, options: ClusterOptions): Promise<Supervised> {
  const { log, durable, purpose } = options;
  const reserve = openReserve(path.dirname(starting.place.data));
  const mayRecover = async (error: unknown): Promise<boolean> => {
    const wasFull = error instanceof ClusterStartError && error.diskWasFull;
    if (!wasFull && !(await reserve.isDiskFull())) return false;
    log?.error({}, 'disk full, PostgreSQL waits for space');
    await reserve.release();
    return true;
  };
  const start = (signal?: AbortSignal): Promise<ChildProcess> => startUntilReady(starting, reserve.isDiskFull, signal);
  const maintain = async (): Promise<void> => {
    await limitLog(starting.place.log);
    if (durable !== false && purpose !== 'fill') await reserve.keep();
  };
  const child = await start().catch(async (error: unknown) => {
    if (await mayRecover(error)) return start();
    throw error;
  });
  const { failed, stop } = supervise({ child, restart: start, mayRecover, log });
  await maintain().catch(() => undefined);
  const timer = setInterval(() => void maintain().catch(() => undefined), MAINTAIN_EVERY_MS).unref();
  return {
    failed,
    stop: () => {
      clearInterval(timer);
      return stop();
    },
  };
}

/** Whether a database was made for `folder`. */
export function hasCluster(folder: string): boolean {
  return [folder, getReachableFolder(folder)].some((place) => existsSync(path.join(place, 'data')));
}

/** Removes a stopped one with its data. */
export async function removeCluster(folder: string): Promise<void> {
  for (const place of [folder, getReachableFolder(folder)]) await rm(place, { recursive: true, force: true });
}

type Place = Readonly<{ native: string; folder: string; data: string; log: string }>;

async function preparePlace(folder: string, launcher: Launcher): Promise<Place> {
  const packaged = await findNativeFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = path.join(folder, 'postgres.log');
  if (launcher.kind !== 'nobody') return { native: packaged, folder, data: path.join(folder, 'data'), log };
  const native = await copyWhereReachable(packaged);
  const data = path.join(getReachableFolder(folder), 'data');
  await mkdir(path.dirname(data), { recursive: true });
  await chown(path.dirname(data), NOBODY, NOBODY);
  return { native, folder, data, log };
}

/** Makes the data folder under a temporary name first, so that an interrupted start leaves no incomplete database. */
async function initialise(place: Place, launcher: Launcher): Promise<string> {
  const passwordFile = path.join(place.folder, 'password');
  if (existsSync(place.data)) {
    if (existsSync(passwordFile)) return readFile(passwordFile, 'utf8');
    throw new ClusterStartError(`the password of its data is gone; without it nobody can use ${place.data}`);
  }
  if (hasCluster(place.folder)) throw new ClusterStartError('its data belong to another user');
  const password = randomBytes(24).toString('base64url');
  // Without the password its data are of no use, so it survives a power cut before they have their name.
  await writeDurably(passwordFile, password);
  const draft = `${place.data}.new`;
  await rm(draft, { recursive: true, force: true });
  const readable = path.join(path.dirname(place.data), 'password.init');
  await writeFile(readable, password, { mode: 0o600 });
  if (launcher.kind === 'nobody') await chown(readable, NOBODY, NOBODY);
  // prettier-ignore
  await runOnce(launcher, path.join(place.native, 'bin', 'initdb'), [
    '--pgdata', draft, '--username=postgres', `--pwfile=${readable}`,
    '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8',
  ]);
  await rm(readable);
  await rename(draft, place.data);
  return password;
}

async function startUntilReady(
  { place, launcher, command, url }: Starting,
  isDiskFull: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<ChildProcess> {
  const log = await open(place.log, 'a', 0o600);
  const deadline = performance.now() + START_TIMEOUT_MS;
  try {
    for (let failed = 0; ;) {
      const wasFull = await isDiskFull();
      const child = start(launcher, path.join(place.native, 'bin', 'postgres'), command, log.fd);
      if (await becomesReady(child, { url, deadline, signal })) return child;
      if (signal?.aborted === true) {
        // The folder is free only when it has ended.
        if (child.kill('SIGINT')) await once(child, 'exit');
        throw new ClusterStartError('it is being stopped');
      }
      // An earlier PostgreSQL may still be shutting down on the folder, which its lock file tells.
      if (!(await isTaken(place.data))) failed += 1;
      const isFull = wasFull || (await isDiskFull());
      if (performance.now() > deadline || failed === MAX_FAILED_STARTS || isFull) {
        child.kill('SIGINT');
        throw new ClusterStartError(`a full disk, a damaged folder or another server; see ${place.log}`, isFull);
      }
      await wait(250);
    }
  } finally {
    await log.close();
  }
}

/** The process of the lock file runs; a killed PostgreSQL leaves its lock file behind. */
async function isTaken(data: string): Promise<boolean> {
  const lock = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '');
  return isRunning(Number(lock.split('\n', 1)[0]));
}
