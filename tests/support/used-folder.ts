import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { spawnServer } from './process.ts';
import { RUN_FOLDER_VARIABLE } from './run-folder.ts';

const POLL_MS = 50;

/**
 * A data folder as a first start leaves it, with the first accounts: for tests whose subject is a server process and
 * not its first start. The first call in a run makes the folder, later calls copy it. The caller removes the copy.
 */
export async function makeUsedFolder(parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(path.join(parent, 'smca-used-'));
  const used = await findUsed();
  // A PostgreSQL of another operating-system user keeps its files elsewhere (launcher.ts): a first start it is then.
  if (!existsSync(path.join(used, 'postgres', 'data'))) return folder;
  await promisify(execFile)('cp', ['-a', `${used}/.`, folder]);
  return folder;
}

async function findUsed(): Promise<string> {
  const run = process.env[RUN_FOLDER_VARIABLE];
  if (run === undefined) throw new Error('no run: tests/support/cluster.ts begins one');
  const used = path.join(run, 'used');
  const making = `${used}.making`;
  const first = await mkdir(making).then(
    () => true,
    () => false,
  );
  if (first) await make(making, used);
  while (!existsSync(used)) {
    if (!existsSync(making)) return findUsed();
    await wait(POLL_MS);
  }
  return used;
}

/** A failure lets the next one try. */
async function make(making: string, used: string): Promise<void> {
  try {
    const server = spawnServer({ DATA_DIR: path.join(making, 'data') });
    await server.url;
    await server.end('SIGTERM');
    await rename(path.join(making, 'data'), used);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
}
