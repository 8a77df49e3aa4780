import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Recording, RecordingFormat, StoredRecording } from './state.ts';

export type ChunkStore = ReturnType<typeof createChunkStore>;

export type LaterFree = Readonly<{ signal: AbortSignal; onFree: () => void }>;

type StoredPlace = RecordingFormat & Readonly<{ owner: string; area: string }>;

type ChunkStoreOptions = Readonly<{ liveness: Liveness; now?: () => number; name?: string }>;

/** A forgotten recording is deleted after this time: voices must not stay on a device for ever. */
const KEEP_MS = 7 * 24 * 60 * 60 * 1_000;

interface Schema extends DBSchema {
  recordings: { key: string; value: StoredRecording; indexes: { place: [string, string] } };
  chunks: { key: [string, number]; value: { recording: string; index: number; bytes: ArrayBuffer } };
}
type Db = IDBPDatabase<Schema>;

export function createChunkStore({ liveness, now = Date.now, name = 'voice-message' }: ChunkStoreOptions) {
  const database = openAtFirstUse(name);
  const session = (recording: StoredRecording, first: number): ChunkSession =>
    openSession(database, recording, first, liveness.hold(recording.id));
  return {
    begin: async ({ mime, extension, owner, area }: StoredPlace): Promise<ChunkSession> => {
      const id = crypto.randomUUID();
      const recording = { id, owner, area, mime, extension, startedAt: now(), seconds: 0, bytes: 0 };
      await (await database()).put('recordings', recording);
      return session(recording, 0);
    },
    /**
     * Recordings of this user and area that no tab works on, newest first. `later` is told of each one left out as soon
     * as its tab has let go: a page that closes may hold its recording when the next one looks.
     */
    unfinished: async (owner: string, area: string, later?: LaterFree): Promise<readonly StoredRecording[]> => {
      const db = await database();
      const held = await liveness.held();
      await forgetOld(db, now() - KEEP_MS, held);
      const found = await db.getAllFromIndex('recordings', 'place', [owner, area]);
      if (later !== undefined) {
        for (const { id } of found)
          if (held.has(id)) liveness.untilFree(id, later.signal).then(later.onFree, () => undefined);
      }
      const free = found.filter((recording) => !held.has(recording.id) && recording.bytes > 0);
      return free.toSorted((a, b) => b.startedAt - a.startedAt);
    },
    /** Takes one up again; undefined where it is gone or empty. */
    take: async (id: string): Promise<Readonly<{ recording: Recording; session: ChunkSession }> | undefined> => {
      const db = await database();
      const [stored, chunks] = [await db.get('recordings', id), await db.getAll('chunks', getChunks(id))];
      if (stored === undefined || chunks.length === 0) return undefined;
      return { recording: join(stored, chunks), session: session(stored, chunks.length) };
    },
    discard: async (id: string): Promise<void> => remove(await database(), id),
  };
}

/** Opens it again where that failed, or where the browser has closed it. */
function openAtFirstUse(name: string): () => Promise<Db> {
  let opening: Promise<Db> | undefined;
  const forget = (): void => (opening = undefined);
  const open = () =>
    openDB<Schema>(name, 1, {
      upgrade: (db) => {
        db.createObjectStore('recordings', { keyPath: 'id' }).createIndex('place', ['owner', 'area']);
        db.createObjectStore('chunks', { keyPath: ['recording', 'index'] });
      },
      terminated: forget,
    });
  return () => {
    opening ??= open();
    opening.catch(forget);
    return opening;
  };
}

/** The recording at hand. Chunks are written one after the other in the order of the calls. */
function openSession(database: () => Promise<Db>, recording: StoredRecording, first: number, leave: () => void) {
  let index = first;
  let { bytes } = recording;
  let writing: Promise<void> = Promise.resolve();
  let over = false;
  const write = async (chunk: Blob, at: number, seconds: number): Promise<void> => {
    const content = await chunk.arrayBuffer();
    if (over) return;
    const transaction = (await database()).transaction(['recordings', 'chunks'], 'readwrite');
    bytes += content.byteLength;
    await Promise.all([
      transaction.objectStore('chunks').put({ recording: recording.id, index: at, bytes: content }),
      transaction.objectStore('recordings').put({ ...recording, seconds, bytes }),
      transaction.done,
    ]);
  };
  return {
    id: recording.id,
    /** Rejects where the device has no space or no storage; the recording itself is not touched by that. */
    append: (chunk: Blob, seconds: number): Promise<void> => {
      const at = index++;
      // A chunk that could not be written leaves a gap, and what follows a gap cannot be played: so it all fails from
      // there.
      writing = writing.then(() => write(chunk, at, seconds));
      return writing;
    },
    discard: async (): Promise<void> => {
      over = true;
      await writing.catch(() => undefined);
      await remove(await database(), recording.id);
      leave();
    },
    /** Keeps the stored chunks and releases them, so that the recording is offered again. */
    // A write under way would bring back one that is discarded meanwhile.
    leave: (): void => void writing.catch(() => undefined).then(leave),
  };
}

type ChunkSession = ReturnType<typeof openSession>;

async function remove(db: Db, id: string): Promise<void> {
  const transaction = db.transaction(['recordings', 'chunks'], 'readwrite');
  await Promise.all([
    transaction.objectStore('recordings').delete(id),
    transaction.objectStore('chunks').delete(getChunks(id)),
    transaction.done,
  ]);
}

async function forgetOld(db: Db, before: number, held: ReadonlySet<string>): Promise<void> {
  const all = await db.getAll('recordings');
  const old = all.filter(({ id, startedAt }) => startedAt < before && !held.has(id));
  await Promise.all(old.map(({ id }) => remove(db, id)));
}

function getChunks(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id, 0], [id, Number.MAX_SAFE_INTEGER]);
}

function join(stored: StoredRecording, chunks: readonly { bytes: ArrayBuffer }[]): Recording {
  const blob = new Blob(
    chunks.map((chunk) => chunk.bytes),
    { type: stored.mime },
  );
  return { blob, extension: stored.extension, mime: stored.mime, seconds: stored.seconds, bytes: blob.size };
}

/**
 * The recording at hand as it is kept on this device. Nothing here ever rejects: a full device must not disturb a
 * recording.
 */
export type StoredChunks = Readonly<{
  begin: (of: StoredPlace) => void;
  /** Goes on with a recording of an earlier page. */
  adopt: (session: ChunkSession) => void;
  append: (chunk: Blob, seconds: number) => void;
  /** Leaves nothing behind. */
  discard: () => void;
  /** Keeps the stored chunks and releases them as soon as every hold has ended. */
  leave: () => void;
  /** For work that goes on when they are left. Call the returned function when it ends. */
  hold: () => () => void;
}>;

/** `onUnsafe`: from here on a crash would lose the recording. */
export function createStoredChunks(store: ChunkStore, onUnsafe: () => void): StoredChunks {
  let current: Promise<ChunkSession | undefined> = Promise.resolve(undefined);
  const end = (how: (session: ChunkSession) => void | Promise<void>): void => {
    const ending = current;
    current = Promise.resolve(undefined);
    void ending.then((session) => session && how(session)).catch(() => undefined);
  };
  let holders = 0;
  let hasLeft = false;
  const release = (): void => {
    if (hasLeft && holders === 0) end((session) => session.leave());
  };
  return {
    begin: (of) => {
      hasLeft = false;
      current = store.begin(of).catch(() => {
        onUnsafe();
        return undefined;
      });
    },
    adopt: (session) => {
      hasLeft = false;
      current = Promise.resolve(session);
    },
    append: (chunk, seconds) => void current.then((session) => session?.append(chunk, seconds)).catch(onUnsafe),
    discard: () => end((session) => session.discard()),
    leave: () => {
      hasLeft = true;
      release();
    },
    hold: () => {
      holders += 1;
      return () => {
        holders -= 1;
        release();
      };
    },
  };
}

const PREFIX = 'recording:';

/**
 * Tells which stored recordings are in use, in this tab or another. On Web Locks: the browser lets go of a lock when
 * its tab is gone, however that happened.
 */
export function lockLiveness(locks: Pick<LockManager, 'request' | 'query'> | undefined) {
  const own = new Set<string>();
  return {
    /** Until the returned function is called. */
    hold: (id: string): (() => void) => {
      own.add(id);
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      locks?.request(`${PREFIX}${id}`, () => released).catch(() => undefined);
      return () => {
        own.delete(id);
        release();
      };
    },
    held: async (): Promise<ReadonlySet<string>> => {
      const state = await locks?.query().catch(() => undefined);
      // `untilFree` holds the lock in shared mode for a moment.
      const names = (state?.held ?? []).map(({ name = '', mode }) => (mode === 'shared' ? '' : name));
      const others = names.filter((name) => name.startsWith(PREFIX));
      return new Set([...own, ...others.map((name) => name.slice(PREFIX.length))]);
    },
    /** Does not keep the lock. Rejects when the signal aborts. */
    untilFree: async (id: string, signal: AbortSignal): Promise<void> => {
      await locks?.request(`${PREFIX}${id}`, { mode: 'shared', signal }, () => undefined);
    },
  };
}

export type Liveness = ReturnType<typeof lockLiveness>;
