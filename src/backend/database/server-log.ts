import { copyFile, rm, stat, truncate } from 'node:fs/promises';

const MAX_BYTES = 1024 * 1024;

/**
 * Keeps PostgreSQL's own log small: past 1 MiB it becomes `.1` and begins anew. PostgreSQL appends, so it may stay
 * open.
 */
export async function limitLog(file: string): Promise<void> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  );
  if (size <= MAX_BYTES) return;
  await copyFile(file, `${file}.1`);
  await truncate(file, 0);
}

/** Removes all that was logged. */
export async function clearLog(file: string): Promise<void> {
  await rm(`${file}.1`, { force: true });
  await truncate(file, 0);
}
