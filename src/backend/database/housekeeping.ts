import { randomFillSync } from 'node:crypto';
import { copyFile, open, rename, rm, stat, statfs, truncate } from 'node:fs/promises';
import path from 'node:path';
import { createSerialQueue } from '#lib/serial-queue.ts';

/** Two segments of the write-ahead log, which a recovery may need to write. */
export const RESERVE_BYTES = 32 * 1024 * 1024;
/** With less free space, PostgreSQL ended because the disk is full. */
const FULL_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

/** A file beside the database that takes up space until a full disk keeps PostgreSQL from starting. */
export type Reserve = Readonly<{
  /** Creates the file again once there is enough space. */
  keep: () => Promise<void>;
  release: () => Promise<void>;
  isDiskFull: () => Promise<boolean>;
}>;

export function openReserve(folder: string): Reserve {
  const file = path.join(folder, 'reserve');
  return {
    keep: async () => {
      const kept = await stat(file).catch(() => undefined);
      if (kept?.size === RESERVE_BYTES || (await freeBytes(folder)) < 4 * RESERVE_BYTES) return;
      await write(`${file}.new`).then(
        () => rename(`${file}.new`, file),
        () => rm(`${file}.new`, { force: true }),
      );
    },
    release: () => rm(file, { force: true }),
    isDiskFull: async () => (await freeBytes(folder)) < FULL_BYTES,
  };
}

/** Random bytes, as a compressing file system would reserve no space for zeros. */
async function write(file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    const piece = randomFillSync(Buffer.alloc(CHUNK_BYTES));
    for (let written = 0; written < RESERVE_BYTES; written += CHUNK_BYTES) await handle.write(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

const MAX_BYTES = 1024 * 1024;

/** Two at once would leave a copy of the log that the other has removed. */
const logChanges = createSerialQueue();

/**
 * Keeps PostgreSQL's log small: above 1 MiB it becomes `.1` and starts again. PostgreSQL appends, so it may stay open.
 */
export function limitLog(file: string): Promise<void> {
  return logChanges.run(async () => {
    const size = await stat(file).then(
      (found) => found.size,
      () => 0,
    );
    if (size <= MAX_BYTES) return;
    await copyFile(file, `${file}.1`);
    await truncate(file, 0);
  });
}

/** Removes all of the log. */
export function clearLog(file: string): Promise<void> {
  return logChanges.run(async () => {
    await rm(`${file}.1`, { force: true });
    await truncate(file, 0);
  });
}
