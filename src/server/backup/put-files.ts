import { storeKey, type Loading, type FileWriter } from '#backend/maintenance.ts';
import type { ArchivePart } from './archive/reader.ts';
import { NAMES, type Manifest } from './archive/manifest.ts';
import { whole } from './bytes.ts';
import { BackupFault } from './faults.ts';
import type { Journal } from './journal.ts';
import { openFileRows } from './stored-files.ts';

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
export async function openFilePutter({ loading, store, journal, archive }: Deps): Promise<FilePutter> {
  const types = createTypes(await openFileRows(loading), archive);
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let count = 0;
  const check = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  /** Until it has come to its end it is one of those that are under way; its failure is noted. */
  const watch = (work: Promise<unknown>): void => {
    const watched = work.then(
      () => void running.delete(watched),
      (error: unknown) => {
        running.delete(watched);
        failures.push(error);
      },
    );
    running.add(watched);
  };
  const begin = async (version: string, content: AsyncIterable<Buffer>): Promise<{ taken: Promise<unknown> }> => {
    const type = await types.of(version);
    await journal.note('file', version);
    while (running.size >= AT_ONCE) await Promise.race(running);
    check();
    count += 1;
    const taken = store.write(storeKey(version), content, type);
    watch(taken.then(({ safe }) => safe));
    return { taken };
  };
  return {
    take: async ({ name, size, content }) => {
      const version = name.slice(NAMES.file.length);
      if (size <= SMALL_BYTES) {
        await begin(version, one(await whole(content)));
        return;
      }
      const { taken } = await begin(version, content);
      await taken;
    },
    complete: async (files) => {
      await Promise.all(running);
      check();
      await store.finish();
      if (count !== files.count || (await types.skipped()) !== files.missing) throw new BackupFault('damaged', archive);
    },
    settle: async () => void (await Promise.all(running)),
  };
}

/** MIME types of files, which are asked for in the order of their rows. */
function createTypes(rows: Awaited<ReturnType<typeof openFileRows>>, archive: string) {
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

async function* one(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}
