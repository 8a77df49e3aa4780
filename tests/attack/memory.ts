import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Resident memory of a process in MiB; undefined once it is gone. `ps` is on every system the server runs on. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
  const kibibytes = Number(stdout.trim());
  return kibibytes > 0 ? kibibytes / 1024 : undefined;
}
