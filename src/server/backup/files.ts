import { Readable } from 'node:stream';
import {
  type FileReader,
  type FileWriter,
  type Loading,
  MissingFileError,
  type OpenFile,
  type ReadOptions,
  type Snapshot,
  storeKey,
} from '#backend/maintenance.ts';
import { NAMES, type Manifest } from './archive/manifest.ts';
import type { ArchivePart } from './archive/reader.ts';
import { type Bytes, readWithRetries, readAll } from './bytes.ts';
import { BackupError } from './errors.ts';
import type { Journal } from './journal.ts';

/** A file that a row of the snapshot names. `open` resolves to undefined where the store has lost it. */
export type StoredFile = Readonly<{
  version: string;
  /** `bucket/name`, for messages. */
  name: string;
  open: () => Promise<OpenedFile | undefined>;
}>;

type OpenedFile = Readonly<{ bytes: number; content: Bytes }>;
type Row = Readonly<{ version: string; name: string; size: string | null; type: string | null }>;

// A row without such a version was written by hand and has no bytes. The collation makes the order the same everywhere.
const FILES = `
  select version, min(bucket_id || '/' || name) as name, max(metadata ->> 'size') as size,
    max(metadata ->> 'mimetype') as type
  from storage.objects where version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  group by version order by version collate "C"`;

/** Smaller files are read whole, several at once, because the request takes longer than the bytes. */
const READ_WHOLE_BYTES = 256 * 1024;
const READS_AT_ONCE = 8;

/** Yields every file; each has to be read before the next. Memory grows neither with their number nor their size. */
export async function* readStoredFiles(snapshot: Snapshot, reader: FileReader): AsyncGenerator<StoredFile> {
  for await (const rows of snapshot.pages<Row>(FILES)) yield* workAhead(rows, (row) => prepareFile(row, reader));
}

/** The rows of the files, in the order of the files in an archive. */
export async function openFileRows(loading: Loading): Promise<AsyncGenerator<Row>> {
  return flattenPages(await loading.pages<Row>(FILES));
}

async function* flattenPages<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}

async function prepareFile({ version, name, size }: Row, reader: FileReader): Promise<StoredFile> {
  if (Number(size ?? Infinity) > READ_WHOLE_BYTES)
    return { version, name, open: () => openFile(reader, { version, name, reuse: true }) };
  const opened = await openFile(reader, { version, name });
  // The size in the row may be wrong.
  if (opened === undefined || opened.bytes > READ_WHOLE_BYTES) return { version, name, open: async () => opened };
  const content = [await readAll(opened.content)];
  return { version, name, open: async () => ({ bytes: opened.bytes, content }) };
}

type FileToOpen = ReadOptions & Readonly<{ version: string; name: string }>;

/** Reads a file from `start` on; undefined where the store has lost it. */
export async function openFile(
  reader: FileReader,
  { version, name, start = 0, reuse = false }: FileToOpen,
): Promise<OpenFile | undefined> {
  const key = storeKey(version);
  try {
    const first = await reader.open(key, { start, reuse });
    const openAt = (offset: number) => reader.open(key, { start: start + offset, reuse });
    return { bytes: first.bytes, content: readWithRetries(first, openAt, name), cancel: first.cancel };
  } catch (error) {
    if (error instanceof MissingFileError) return undefined;
    throw error;
  }
}

/** Works on the next items while the first is used, and keeps their order. */
async function* workAhead<A, B>(items: readonly A[], work: (item: A) => Promise<B>): AsyncGenerator<B> {
  const begun: Promise<B>[] = [];
  for (const item of items) {
    const promise = work(item);
    // Awaited later: without this an early failure would count as unhandled.
    promise.catch(() => undefined);
    begun.push(promise);
    if (begun.length < READS_AT_ONCE) continue;
    const first = await begun.shift();
    if (first !== undefined) yield first;
  }
  for (const promise of begun) yield await promise;
}

/** Smaller files are held in memory until they are stored. */
const WRITE_WHOLE_BYTES = 1024 * 1024;
/** Several at once, because flushing a file takes longer than writing it. */
const WRITES_AT_ONCE = 8;

type Deps = Readonly<{ loading: Loading; store: FileWriter; journal: Journal; archive: string }>;

/** Stores files under the versions that the restored rows name. */
export async function openFilePutter({ loading, store, journal, archive }: Deps) {
  const types = createTypes(await openFileRows(loading), archive);
  const writes = createWrites();
  let count = 0;
  const begin = async (version: string, content: AsyncIterable<Buffer>): Promise<{ taken: Promise<unknown> }> => {
    const type = await types.of(version);
    await journal.note('file', version);
    await writes.waitForSlot();
    count += 1;
    const taken = store.write(storeKey(version), content, type);
    writes.add(taken.then(({ safe }) => safe));
    return { taken };
  };
  return {
    take: async ({ name, size, content }: ArchivePart): Promise<void> => {
      const version = name.slice(NAMES.file.length);
      if (size <= WRITE_WHOLE_BYTES) {
        await begin(version, Readable.from([await readAll(content)]));
        return;
      }
      const { taken } = await begin(version, content);
      await taken;
    },
    /** Throws BackupError `damaged` where files are missing that were there when the copy was made. */
    complete: async (files: Manifest['files']): Promise<void> => {
      await writes.waitForAll();
      await store.finish();
      if (count !== files.count || (await types.skipped()) !== files.missing) throw new BackupError('damaged', archive);
    },
    /** Resolves when all writes have ended, also those that failed. */
    waitForEnd: writes.waitForEnd,
  };
}

export type FilePutter = Awaited<ReturnType<typeof openFilePutter>>;

/** The writes that have begun and not ended, and the first failure among all. */
function createWrites() {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const check = (): void => {
    if (failures.length > 0) throw failures[0];
  };
  const waitForEnd = async (): Promise<void> => void (await Promise.all(running));
  return {
    add: (write: Promise<unknown>): void => {
      const watched = write.then(
        () => void running.delete(watched),
        (error: unknown) => {
          running.delete(watched);
          failures.push(error);
        },
      );
      running.add(watched);
    },
    /** Throws what a write before has failed with. */
    waitForSlot: async (): Promise<void> => {
      while (running.size >= WRITES_AT_ONCE) await Promise.race(running);
      check();
    },
    /** Throws what a write has failed with. */
    waitForAll: async (): Promise<void> => {
      await waitForEnd();
      check();
    },
    waitForEnd,
  };
}

/** Looks up MIME types; files have to come in the order of their rows. */
function createTypes(rows: Awaited<ReturnType<typeof openFileRows>>, archive: string) {
  let skipped = 0;
  return {
    /** Throws BackupError `damaged` where no row names the file. */
    of: async (version: string): Promise<string> => {
      for (;;) {
        const next = await rows.next();
        if (next.done === true || next.value.version > version) throw new BackupError('damaged', archive);
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
