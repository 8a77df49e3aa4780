import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MEMORY = '/dev/shm';
const GIBIBYTE = 1024 ** 3;
/** Three times what a whole run has lying there at once. */
const NEEDED_BYTES = 4 * GIBIBYTE;
const NAME = /^smca-run-(\d+)-/;

/** How the run's set-up tells its workers where it puts things. */
export const RUN_FOLDER_VARIABLE = 'TEST_RUN_FOLDER';

export type RunFolder = Readonly<{ path: string; inMemory: boolean; remove: () => Promise<void> }>;

/**
 * For everything a run puts down: nothing of it is to outlast the run, so it lies in memory where there is room, else
 * in the temporary folder. Thousands of small databases and flushed files cost a disk more time than the tests
 * themselves.
 */
export async function makeRunFolder(): Promise<RunFolder> {
  const inMemory = await hasRoom();
  if (inMemory) await removeLeftOver();
  const folder = await mkdtemp(path.join(inMemory ? MEMORY : tmpdir(), `smca-run-${process.pid}-`));
  // Workers that end write to it to the last.
  return { path: folder, inMemory, remove: () => rm(folder, { recursive: true, force: true, maxRetries: 20 }) };
}

async function hasRoom(): Promise<boolean> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free >= NEEDED_BYTES && freemem() >= 2 * NEEDED_BYTES;
}

/** A run that was killed takes nothing away, and memory is not given back by itself. */
async function removeLeftOver(): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || runs(Number(pid))) continue;
    const folder = path.join(MEMORY, name);
    await unmountBelow(folder);
    await rm(folder, { recursive: true, force: true });
  }
}

/** Small disks that a killed run filled; without the right to mount there are none. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => '');
  const points = mounts.split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const point of points.filter((one) => one.startsWith(`${folder}/`))) {
    await run('umount', ['--lazy', point]);
  }
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
