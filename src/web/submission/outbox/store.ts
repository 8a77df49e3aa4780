import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import { entryAfter, type EntryEvent } from './entry-life.ts';
import { DEVICE_OWNER, type Entry, type FileContent, isOf, statusOfEntry } from './entry.ts';

export type NewEntry = Omit<Entry, 'id' | 'createdAt' | 'parts'>;

/** What has arrived is shown this long. */
const KEEP_SENT_MS = 7 * 24 * 60 * 60 * 1_000;
/** Entries that wait longer for another account's login are removed: the account may be gone (decision 0386). */
const KEEP_FOR_OTHERS_MS = 180 * 24 * 60 * 60 * 1_000;
/** A file that no entry has named by then was cut off by a crash. */
const KEEP_HALF_MS = 24 * 60 * 60 * 1_000;
const SLICE_BYTES = 4 * 1024 * 1024;

/** `file` is the name in the bucket: a replaced part has another one, so old and new bytes never mix. */
type Slice = Readonly<{ entry: string; file: string; index: number; bytes: ArrayBuffer; at: number }>;

interface Schema extends DBSchema {
  entries: { key: string; value: Entry; indexes: { owner: string } };
  slices: { key: [string, string, number]; value: Slice };
}
type Db = IDBPDatabase<Schema>;

/**
 * The outbox as it lies on this device. Every change is one transaction, so that two tabs never overwrite each other.
 */
export function createOutboxStore({ now = Date.now, name = 'outbox', sliceBytes = SLICE_BYTES } = {}) {
  let opening: Promise<Db> | undefined;
  const database = (): Promise<Db> => {
    opening ??= open(name, () => (opening = undefined)).then(async (db) => {
      await forgetHalfFiles(db, now() - KEEP_HALF_MS);
      return db;
    });
    opening.catch(() => (opening = undefined));
    return opening;
  };
  return {
    /** Oldest first. */
    list: async (owner: string): Promise<readonly Entry[]> => {
      const db = await database();
      await tidy(db, now() - KEEP_SENT_MS);
      const found = await db.getAllFromIndex('entries', 'owner', owner);
      return found.toSorted((a, b) => a.createdAt - b.createdAt);
    },
    /** Counts the entries that wait for another account's login, and removes those that wait too long. */
    countForOtherAccounts: async (owner: string) => countForOthers(await database(), owner, now()),
    /** The entry of this contribution, made where there is none. */
    open: async (of: NewEntry): Promise<Entry> => openEntry(await database(), of, now()),
    get: async (id: string): Promise<Entry | undefined> => (await database()).get('entries', id),
    /** `undefined` where it was removed meanwhile. */
    apply: async (id: string, event: EntryEvent): Promise<Entry | undefined> => apply(await database(), id, event),
    /** Writes the file, then names it in the entry: a half file never shows. Rejects where the device has no space. */
    putFile: async (id: string, part: string, content: FileContent, blob: Blob): Promise<void> => {
      const db = await database();
      await putSlices(db, blob, sliceBytes, { entry: id, file: content.fileName, at: now });
      await apply(db, id, { type: 'put', part, content });
    },
    /** Empty where its bytes are gone. */
    blob: async (id: string, content: FileContent): Promise<Blob> => readFile(await database(), id, content),
    remove: async (id: string): Promise<void> => remove(await database(), id),
  };
}

export type OutboxStore = ReturnType<typeof createOutboxStore>;

async function countForOthers(db: Db, owner: string, now: number): Promise<number> {
  const all = await db.getAll('entries');
  const others = all.filter((entry) => entry.owner !== owner && entry.owner !== DEVICE_OWNER);
  const old = others.filter((entry) => now - entry.createdAt > KEEP_FOR_OTHERS_MS);
  await Promise.all(old.map((entry) => remove(db, entry.id)));
  return others.filter((entry) => !old.includes(entry) && statusOfEntry(entry) !== 'sent').length;
}

async function openEntry(db: Db, of: NewEntry, createdAt: number): Promise<Entry> {
  const transaction = db.transaction('entries', 'readwrite');
  const mine = await transaction.store.index('owner').getAll(of.owner);
  const found = mine.find((entry) => isOf(entry, of.contentId));
  const entry = found ?? { ...of, id: crypto.randomUUID(), createdAt, parts: [] };
  if (found === undefined) await transaction.store.add(entry);
  await transaction.done;
  return entry;
}

async function apply(db: Db, id: string, event: EntryEvent): Promise<Entry | undefined> {
  const transaction = db.transaction(['entries', 'slices'], 'readwrite');
  const entries = transaction.objectStore('entries');
  const before = await entries.get(id);
  if (before === undefined) return undefined;
  const after = entryAfter(before, event);
  await entries.put(after);
  const needed = filesToSend(after);
  for (const file of filesToSend(before)) {
    if (!needed.has(file)) await transaction.objectStore('slices').delete(getSlices(id, file));
  }
  await transaction.done;
  return after;
}

/** Throws QuotaExceededError if the device has no space: in some browsers the request itself says only AbortError. */
async function putSlice(db: Db, slice: Slice): Promise<void> {
  const write = db.transaction('slices', 'readwrite');
  const put = async () => write.store.put(slice);
  try {
    await Promise.all([put(), write.done]);
  } catch (error) {
    throw write.error ?? error;
  }
}

/** Throws if the device has no space or the file can no longer be read. */
async function putSlices(
  db: Db,
  blob: Blob,
  sliceBytes: number,
  { entry, file, at }: Pick<Slice, 'entry' | 'file'> & Readonly<{ at: () => number }>,
): Promise<void> {
  try {
    for (let index = 0; index * sliceBytes < blob.size; index += 1) {
      const bytes = await blob.slice(index * sliceBytes, (index + 1) * sliceBytes).arrayBuffer();
      await putSlice(db, { entry, file, index, bytes, at: at() });
    }
  } catch (error) {
    // Half a file is useless, and the device is short of space.
    await db.delete('slices', getSlices(entry, file)).catch(() => undefined);
    throw error;
  }
}

function open(name: string, lost: () => void): Promise<Db> {
  return openDB<Schema>(name, 1, {
    upgrade: (db) => {
      db.createObjectStore('entries', { keyPath: 'id' }).createIndex('owner', 'owner');
      db.createObjectStore('slices', { keyPath: ['entry', 'file', 'index'] });
    },
    terminated: lost,
  });
}

/** Slice by slice, so that no large file is in memory as a whole: the browser keeps a Blob's bytes outside of it. */
async function readFile(db: Db, id: string, { fileName, name, type, modified }: FileContent): Promise<Blob> {
  const pieces: Blob[] = [];
  for (const key of await db.getAllKeys('slices', getSlices(id, fileName))) {
    const slice = await db.get('slices', key);
    if (slice !== undefined) pieces.push(new Blob([slice.bytes]));
  }
  return modified === undefined ? new Blob(pieces, { type }) : new File(pieces, name, { type, lastModified: modified });
}

async function remove(db: Db, id: string): Promise<void> {
  const transaction = db.transaction(['entries', 'slices'], 'readwrite');
  await Promise.all([
    transaction.objectStore('entries').delete(id),
    transaction.objectStore('slices').delete(getSlices(id)),
    transaction.done,
  ]);
}

async function tidy(db: Db, before: number): Promise<void> {
  const all = await db.getAll('entries');
  const old = all.filter((entry) => entry.createdAt < before && statusOfEntry(entry) === 'sent');
  await Promise.all(old.map((entry) => remove(db, entry.id)));
}

function filesToSend(entry: Entry): ReadonlySet<string> {
  const open = entry.parts.filter((part) => part.state.status !== 'sent');
  return new Set(open.flatMap(({ content }) => ('bytes' in content ? [content.fileName] : [])));
}

async function forgetHalfFiles(db: Db, before: number): Promise<void> {
  const entries = new Map((await db.getAll('entries')).map((entry) => [entry.id, filesToSend(entry)]));
  for (const key of await db.getAllKeys('slices')) {
    const [entry, file] = key;
    if (entries.get(entry)?.has(file) === true) continue;
    const slice = await db.get('slices', key);
    if (slice !== undefined && slice.at < before) await db.delete('slices', key);
  }
}

function getSlices(entry: string, file?: string): IDBKeyRange {
  return IDBKeyRange.bound([entry, file ?? '', 0], [entry, file ?? '\uffff', Number.MAX_SAFE_INTEGER]);
}
