import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { z } from 'zod';
import { getErrorCode } from '#lib/error-code.ts';
import { parseJson } from '#lib/parse-json.ts';
import { ModelError } from './errors.ts';

const REFRESH_MS = 5_000;
/** Servers that share a folder may have clocks that differ by some seconds. */
const STALE_MS = 60_000;
const HolderSchema = z.object({ id: z.string(), host: z.string(), pid: z.number() });

/**
 * Lets one process at a time write a model, also from several machines on one folder: the lock is a file whose holder
 * renews it. A holder that ended, here or for a minute elsewhere, loses it. Throws ModelError `install_running`.
 */
export async function lockInstall(target: string): Promise<Readonly<{ release: () => Promise<void> }>> {
  const file = `${target}.lock`;
  if (!(await takeLock(file))) {
    await clearAbandoned(file);
    if (!(await takeLock(file))) throw new ModelError('install_running');
  }
  const timer = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => undefined), REFRESH_MS);
  timer.unref();
  return {
    release: async () => {
      clearInterval(timer);
      await rm(file, { force: true });
    },
  };
}

/** A link appears whole or not at all, so no process reads a lock without its holder. */
async function takeLock(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify({ id: randomUUID(), host: hostname(), pid: process.pid }), { mode: 0o600 });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (getErrorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Throws ModelError where the holder is at work. */
async function clearAbandoned(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined) return;
  const holder = await readHolder(file);
  const isDead = holder?.host === hostname() && !isAlive(holder.pid);
  if (!isDead && Date.now() - found.mtimeMs <= STALE_MS) throw new ModelError('install_running');
  // Of several processes that see the same abandoned lock, one succeeds in renaming it.
  const old = `${file}.${randomUUID()}`;
  if (!(await wasRenamed(file, old))) return;
  // Another process was faster, and its new lock has been renamed: it gets it back.
  if ((await readHolder(old))?.id !== holder?.id) await link(old, file).catch(() => undefined);
  await rm(old, { force: true });
}

async function wasRenamed(from: string, to: string): Promise<boolean> {
  return rename(from, to).then(
    () => true,
    () => false,
  );
}

async function readHolder(file: string): Promise<z.infer<typeof HolderSchema> | undefined> {
  return HolderSchema.safeParse(parseJson(await readFile(file, 'utf8').catch(() => ''))).data;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return getErrorCode(error) === 'EPERM';
  }
}
