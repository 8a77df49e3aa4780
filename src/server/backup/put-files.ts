import { Readable } from 'node:stream';
import { storeKey, type Loading, type ObjectStore } from '#backend/maintenance.ts';
import type { ArchivePart } from './archive/reader.ts';
import { NAMES, type Manifest } from './archive/manifest.ts';
import { whole } from './bytes.ts';
import { BackupFault } from './faults.ts';
import type { Journal } from './journal.ts';
import { fileRows } from './stored-files.ts';

/** Files up to this size are held in memory and stored several at once: what takes time with them is the flushing. */
const SMALL_BYTES = 256 * 1024;
const AT_ONCE = 8;

export type FilePutter = Readonly<{
  take: (part: ArchivePart) => Promise<void>;
  /** Throws BackupFault `damaged` where files are missing that were there when the copy was made. */
  complete: (files: Manifest['files']) => Promise<void>;
  /** Resolves when nothing is being written any more, whatever became of it. */
  settle: () => Promise<void>;
}>;

type Deps = Readonly<{ loading: Loading; store: ObjectStore; journal: Journal; archive: string }>;

/** Puts files where the rows, which are already there, say that they are. */
export function createFilePutter({ loading, store, journal, archive }: Deps): FilePutter {
  const rows = fileRows(loading);
  const running = new Set<Promise<unknown>>();
  let [put, skipped] = [0, 0];
  /** Rows and files come in the same order. */
  const typeOf = async (version: string): Promise<string> => {
    for (;;) {
      const next = await rows.next();
      if (next.done === true || next.value.version > version) throw new BackupFault('damaged', archive);
      if (next.value.version === version) return next.value.type ?? 'application/octet-stream';
      skipped += 1;
    }
  };
  return {
    take: async ({ name, size, content }) => {
      const version = name.slice(NAMES.file.length);
      const type = await typeOf(version);
      await journal.note('file', version);
      put += 1;
      if (size > SMALL_BYTES) {
        await store.put(storeKey(version), Readable.from(content), type);
        return;
      }
      const small = await whole(content);
      if (running.size >= AT_ONCE) await Promise.race(running);
      const putting = store.put(storeKey(version), Readable.from([small]), type).finally(() => running.delete(putting));
      // It is awaited below or at the end; until then its failure is nobody's.
      putting.catch(() => undefined);
      running.add(putting);
    },
    complete: async ({ count, missing }) => {
      await Promise.all(running);
      while ((await rows.next()).done !== true) skipped += 1;
      if (put !== count || skipped !== missing) throw new BackupFault('damaged', archive);
    },
    settle: async () => void (await Promise.allSettled(running)),
  };
}
