import { MissingFileError, storeKey, type FileReader, type Loading, type Snapshot } from '#backend/maintenance.ts';
import { whole, type Bytes } from './bytes.ts';
import { readPersistently } from './read-persistently.ts';

/** A file that a row of the snapshot names. `open` says undefined where the store has none. */
export type StoredFile = Readonly<{
  version: string;
  /** `bucket/name`, for people. */
  name: string;
  open: () => Promise<OpenedFile | undefined>;
}>;

type OpenedFile = Readonly<{ bytes: number; content: Bytes }>;
type Row = Readonly<{ version: string; name: string; size: string | null; type: string | null }>;

// A row without such a version was written by hand and never had bytes. The order is the same in every database.
const FILES = `
  select version, min(bucket_id || '/' || name) as name, max(metadata ->> 'size') as size,
    max(metadata ->> 'mimetype') as type
  from storage.objects where version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  group by version order by version collate "C"`;

/** Files up to this size are fetched whole, several at once: what takes time with them is asking, not reading. */
const SMALL_BYTES = 256 * 1024;
const AT_ONCE = 8;

/** Every file, each to be read before the next. Memory grows neither with their number nor with their size. */
export async function* storedFiles(snapshot: Snapshot, reader: FileReader): AsyncGenerator<StoredFile> {
  for await (const rows of snapshot.pages<Row>(FILES)) yield* ahead(rows, (row) => storedFile(row, reader));
}

/** The rows that files belong to, in the order in which an archive has the files. */
export async function openFileRows(loading: Loading): Promise<AsyncGenerator<Row>> {
  return each(await loading.pages<Row>(FILES));
}

async function* each<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}

async function storedFile({ version, name, size }: Row, reader: FileReader): Promise<StoredFile> {
  const open = (): Promise<Reading | undefined> => openFile(reader, version, name);
  if (Number(size ?? Infinity) > SMALL_BYTES) return { version, name, open };
  const opened = await open();
  // The row may be wrong about it.
  if (opened === undefined || opened.bytes > SMALL_BYTES) return { version, name, open: async () => opened };
  const content = [await whole(opened.content)];
  return { version, name, open: async () => ({ bytes: opened.bytes, content }) };
}

type Reading = Readonly<{ bytes: number; content: AsyncIterable<Buffer> }>;

async function openFile(reader: FileReader, version: string, name: string): Promise<Reading | undefined> {
  const key = storeKey(version);
  try {
    const first = await reader.open(key);
    return { bytes: first.bytes, content: readPersistently(first, (start) => reader.open(key, start), name) };
  } catch (error) {
    if (error instanceof MissingFileError) return undefined;
    throw error;
  }
}

/** Works on the next ones while the first is being used; the order stays. */
async function* ahead<A, B>(items: readonly A[], work: (item: A) => Promise<B>): AsyncGenerator<B> {
  const begun: Promise<B>[] = [];
  for (const item of items) {
    const promise = work(item);
    // It is awaited in its turn; until then its failure is nobody's.
    promise.catch(() => undefined);
    begun.push(promise);
    if (begun.length < AT_ONCE) continue;
    const first = await begun.shift();
    if (first !== undefined) yield first;
  }
  for (const promise of begun) yield await promise;
}
