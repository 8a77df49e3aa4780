import { randomFillSync } from 'node:crypto';
import { open, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';

/** Two segments of the write-ahead log: what a recovery needs to write before it is through. */
export const RESERVE_BYTES = 32 * 1024 * 1024;
/** Below this PostgreSQL is taken to have ended for want of room. */
const FULL_BYTES = 16 * 1024 * 1024;
const PIECE = 1024 * 1024;

/** A file beside the database that only takes room, to be given up when a full disk keeps PostgreSQL from starting. */
export type Reserve = Readonly<{
  /** Takes the room again where there is plenty. */
  keep: () => Promise<void>;
  giveUp: () => Promise<void>;
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
    giveUp: () => rm(file, { force: true }),
    isDiskFull: async () => (await freeBytes(folder)) < FULL_BYTES,
  };
}

/** Random bytes: a file system that compresses would keep no room for zeros. */
async function write(file: string): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  try {
    const piece = randomFillSync(Buffer.alloc(PIECE));
    for (let written = 0; written < RESERVE_BYTES; written += PIECE) await handle.write(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
