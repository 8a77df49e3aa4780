import type { FileHandle } from 'node:fs/promises';

const EVERY_BYTES = 32 * 1024 * 1024;

export type FlushAlong = Readonly<{
  wrote: (bytes: number) => void;
  /** Resolves when everything is on the disk; rejects where any flush failed. */
  end: () => Promise<void>;
}>;

/** Flushes a large file while more of it is being written, so that little is left to wait for at its end. */
export function flushAlong(handle: FileHandle): FlushAlong {
  let unflushed = 0;
  let flushing = Promise.resolve();
  let idle = true;
  return {
    wrote: (bytes) => {
      unflushed += bytes;
      if (!idle || unflushed < EVERY_BYTES) return;
      unflushed = 0;
      idle = false;
      // After a failure it stays busy: the kernel tells of it once only.
      flushing = handle.datasync().then(() => void (idle = true));
      flushing.catch(() => undefined);
    },
    end: async () => {
      await flushing;
      await handle.sync();
    },
  };
}
