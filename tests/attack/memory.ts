import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Resident memory of a process in MiB; undefined once it is gone. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  const kibibytes = Number(await (process.platform === 'linux' ? readStatus(pid) : askPs(pid)));
  return kibibytes > 0 ? kibibytes / 1024 : undefined;
}

/** Many times cheaper than a process of its own for each question. */
async function readStatus(pid: number): Promise<string | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return /VmRSS:\s+(\d+)/.exec(status)?.[1];
}

async function askPs(pid: number): Promise<string> {
  return (
    await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  ).stdout.trim();
}
