import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A small disk in memory that a test may fill. */
export type Disk = Readonly<{ folder: string; unmount: () => Promise<void> }>;

/** Undefined where this machine allows no mounts. */
export async function mountDisk(mebibytes: number): Promise<Disk | undefined> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-disk-'));
  const unmount = async (): Promise<void> => {
    await run('umount', ['--lazy', folder]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'smca', folder]);
    return { folder, unmount };
  } catch {
    await unmount();
    return undefined;
  }
}
