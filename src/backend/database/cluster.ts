import { randomBytes } from 'node:crypto';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { nativeFolder, reachableCopy } from './binaries.ts';
import { chooseLauncher, NOBODY, runOnce, start, type Launcher } from './launcher.ts';
import { commandLine, type Durability } from './settings.ts';

/** A running embedded PostgreSQL; `url` connects as its superuser. */
export type Cluster = Readonly<{ url: (database: string) => string; stop: () => Promise<void> }>;

export type ClusterOptions = Readonly<{
  /** Folder that holds everything of this cluster; made if missing. */
  folder: string;
  /** How long a start may take, e.g. while the one before is still shutting down on the same folder. */
  patienceMs?: number;
}> &
  Durability;

const START_PATIENCE_MS = 30_000;
const REACHABLE_ROOT = '/var/lib/social-media-content-assistant';

/** Starts the PostgreSQL in `folder`, initialising it the first time. Listens on a private Unix socket only. */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const launcher = await chooseLauncher();
  const place = await preparePlace(options.folder, launcher);
  const password = await initialise(place, launcher);
  const socket = await socketFolder(launcher);
  const url = (database: string): string =>
    `postgres://postgres:${password}@localhost/${encodeURIComponent(database)}?host=${encodeURIComponent(socket)}`;
  const command = commandLine(place.data, socket, options);
  const child = await startUntilReady(place, launcher, command, url('postgres'), options.patienceMs).catch(
    async (error: unknown) => {
      await rm(socket, { recursive: true, force: true });
      throw error;
    },
  );
  return { url, stop: () => stop(child, socket) };
}

type Place = Readonly<{ native: string; folder: string; data: string }>;

async function preparePlace(folder: string, launcher: Launcher): Promise<Place> {
  const packaged = await nativeFolder();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (launcher.kind !== 'nobody') return { native: packaged, folder, data: path.join(folder, 'data') };
  const native = await reachableCopy(packaged, REACHABLE_ROOT);
  const data = path.join(REACHABLE_ROOT, Buffer.from(path.resolve(folder)).toString('base64url'), 'data');
  await mkdir(path.dirname(data), { recursive: true });
  await chown(path.dirname(data), NOBODY, NOBODY);
  return { native, folder, data };
}

/** Makes the data folder under a temporary name first, so that a start cut short never leaves half a database. */
async function initialise(place: Place, launcher: Launcher): Promise<string> {
  const passwordFile = path.join(place.folder, 'password');
  if (existsSync(place.data)) return readFile(passwordFile, 'utf8');
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile, password, { mode: 0o600 });
  const draft = `${place.data}.new`;
  await rm(draft, { recursive: true, force: true });
  const readable = path.join(path.dirname(place.data), 'password.init');
  await writeFile(readable, password, { mode: 0o600 });
  if (launcher.kind === 'nobody') await chown(readable, NOBODY, NOBODY);
  await runOnce(launcher, path.join(place.native, 'bin', 'initdb'), [
    '--pgdata', draft, '--username=postgres', `--pwfile=${readable}`,
    '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8',
  ]); // prettier-ignore
  await rm(readable);
  await rename(draft, place.data);
  return password;
}

async function socketFolder(launcher: Launcher): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-pg-'));
  await chmod(folder, 0o700);
  if (launcher.kind === 'nobody') await chown(folder, NOBODY, NOBODY);
  return folder;
}

async function startUntilReady(
  place: Place,
  launcher: Launcher,
  command: readonly string[],
  url: string,
  patienceMs: number = START_PATIENCE_MS,
): Promise<ChildProcess> {
  const log = await open(path.join(place.folder, 'postgres.log'), 'a', 0o600);
  const deadline = Date.now() + patienceMs;
  try {
    for (;;) {
      const child = start(launcher, path.join(place.native, 'bin', 'postgres'), command, log.fd);
      if (await becomesReady(child, url, deadline)) return child;
      // The one before us may still be shutting down on the same folder.
      if (Date.now() > deadline) {
        child.kill('SIGINT');
        throw new Error(`PostgreSQL does not start; see ${path.join(place.folder, 'postgres.log')}`);
      }
      await wait(250);
    }
  } finally {
    await log.close();
  }
}

async function becomesReady(child: ChildProcess, url: string, deadline: number): Promise<boolean> {
  let gone = false;
  child.once('exit', () => (gone = true));
  child.once('error', () => (gone = true));
  while (!gone && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return true;
    } catch {
      await wait(25);
    }
  }
  return false;
}

async function stop(child: ChildProcess, socket: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGINT');
    await once(child, 'exit');
  }
  await rm(socket, { recursive: true, force: true });
}
