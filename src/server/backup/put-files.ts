import { Readable } from 'node:stream';
import { storeKey, type Loading, type FileWriter } from '#backend/maintenance.ts';
import type { ArchivePart } from './archive/reader.ts';
import { NAMES, type Manifest } from './archive/manifest.ts';
import { whole } from './bytes.ts';
import { BackupFault } from './faults.ts';
import type { Journal } from './journal.ts';
import { fileRows } from './stored-files.ts';

/** Files up to this size are held in memory until they are stored. */
const SMALL_BYTES = 1024 * 1024;
/** What takes time with a file is not writing but flushing: so many are under way at once. */
const AT_ONCE = 8;

export type FilePutter = Readonly<{
  take: (part: ArchivePart) => Promise<void>;
  /** Throws BackupFault `damaged` where files are missing that were there when the copy was made. */
  complete: (files: Manifest['files']) => Promise<void>;
  /** Resolves when nothing is being written any more, whatever became of it. */
  settle: () => Promise<void>;
}>;

type Deps = Readonly<{ loading: Loading; store: FileWriter; journal: Journal; archive: string }>;

/** Puts files where the rows, which are already there, say that they are. */
export function createFilePutter({ loading, store, journal, archive }: Deps): FilePutter {
  const types = createTypes(loading, archive);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let count = 0;
  const check = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  /** Resolves when it is under way; `over` when its bytes are safe or its failure is noted. */
  const put = async (version: string, content: Readable): Promise<{ over: Promise<void> }> => {
    const type = await types.of(version);
    await journal.note('file', version);
    while (running.size >= AT_ONCE) await Promise.race(running);
    check();
    count += 1;
    const putting = store.write(storeKey(version), content, type).then(
      () => void running.delete(putting),
      (error: unknown) => {
        running.delete(putting);
        failures.push(error);
      },
    );
    running.add(putting);
    return { over: putting };
  };
  return {
    take: async ({ name, size, content }) => {
      const version = name.slice(NAMES.file.length);
      if (size <= SMALL_BYTES) {
        await put(version, Readable.from([await whole(content)]));
        return;
      }
      const { source, taken } = telling(content);
      const { over } = await put(version, Readable.from(source));
      // Once all of it is on its way the next one may come, or where it failed nothing.
      await Promise.race([taken, over]);
      check();
    },
    complete: async (files) => {
      await Promise.all(running);
      check();
      if (count !== files.count || (await types.skipped()) !== files.missing) throw new BackupFault('damaged', archive);
    },
    settle: async () => void (await Promise.all(running)),
  };
}

/** MIME types of files, which are asked for in the order of their rows. */
function createTypes(loading: Loading, archive: string) {
  const rows = fileRows(loading);
  let skipped = 0;
  return {
    /** Throws BackupFault `damaged` where no row names the file. */
    of: async (version: string): Promise<string> => {
      for (;;) {
        const next = await rows.next();
        if (next.done === true || next.value.version > version) throw new BackupFault('damaged', archive);
        if (next.value.version === version) return next.value.type ?? 'application/octet-stream';
        skipped += 1;
      }
    },
    /** How many rows had no file. */
    skipped: async (): Promise<number> => {
      while ((await rows.next()).done !== true) skipped += 1;
      return skipped;
    },
  };
}

/** The same bytes, and a promise that they have all been taken. */
function telling(content: AsyncIterable<Buffer>): { source: AsyncIterable<Buffer>; taken: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const source = async function* (): AsyncGenerator<Buffer> {
    yield* content;
    resolve(undefined);
  };
  return { source: source(), taken: promise };
}
