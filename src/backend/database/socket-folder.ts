import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRunning, NOBODY, type Launcher } from './launcher.ts';

const PREFIX = 'smca-pg-';
const OWNER = 'owner.pid';
/** A younger folder without a socket may belong to a start that is under way. */
const YOUNG_MS = 60_000;

/** Makes a private folder for PostgreSQL's socket; a temporary one, as the path of a socket must be short. */
export async function makeSocketFolder(launcher: Launcher): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX));
  await chmod(folder, 0o700);
  await writeFile(path.join(folder, OWNER), String(process.pid), { mode: 0o600 });
  if (launcher.kind === 'nobody') await chown(folder, NOBODY, NOBODY);
  return folder;
}

/** Removes the folders of killed servers: their process has ended and their socket does not answer. */
export async function removeAbandonedFolders(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => []);
  for (const name of names.filter((found) => found.startsWith(PREFIX))) {
    const folder = path.join(tmpdir(), name);
    // Another user's folder is neither readable nor removable.
    if (await isAbandoned(folder).catch(() => false))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isAbandoned(folder: string): Promise<boolean> {
  const { mtimeMs } = await stat(folder);
  const text = await readFile(path.join(folder, OWNER), 'utf8').catch(() => '');
  // The file is created before its content is written: an empty one has no owner yet.
  const owner = /^\d+$/.test(text) ? Number(text) : undefined;
  if (owner === undefined && Date.now() - mtimeMs < YOUNG_MS) return false;
  if (owner !== undefined && isRunning(owner)) return false;
  return !(await answers(path.join(folder, '.s.PGSQL.5432')));
}

function answers(socketFile: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    socket.once('connect', () => resolve(socket.destroy() !== undefined));
    socket.once('error', () => resolve(false));
  });
}
