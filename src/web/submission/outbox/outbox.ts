import { useCallback, useSyncExternalStore } from 'react';
import type { AppConfig } from '#contract/app-config.ts';
import { laterPart } from '#web/backend/later-part.ts';
import { storedUser } from '#web/backend/stored-session.ts';
import { afterPaint } from '#web/ui/after-load.ts';
import { DEVICE_OWNER, type Entry, type FileContent, type Keeping, type PartDraft } from './entry.ts';
import type { SubmissionStore } from '../store.ts';
import type { OutboxStore } from './store.ts';

export type Outbox = Readonly<{
  store: OutboxStore;
  /** Of this owner, oldest first, as last read; a first call has them read. */
  getEntries: (owner: string) => readonly Entry[] | undefined;
  /** The number that waits for another account's login, as last read; the first call counts them. */
  getCountForOtherAccounts: (owner: string) => number | undefined;
  /** 0–1 of the file being sent from this tab. */
  getProgress: (part: string) => number | undefined;
  subscribe: (listener: () => void) => () => void;
  /**
   * In their order. Returns the files as they are named now. Rejects where the device has no space; what was there
   * before stays.
   */
  keep: (of: Keeping, parts: readonly PartDraft[], earlier?: SubmissionStore) => Promise<readonly FileContent[]>;
  retry: (id: string) => Promise<void>;
  remove: (id: string) => Promise<void>;
  /** Goes on without a file that failed for good. */
  giveUp: (id: string, part: string) => Promise<void>;
  /** The store was changed past the functions above. */
  changed: () => void;
  progressed: (part: string, fraction: number) => void;
  /** Calls when something new may have to be sent. */
  onWork: (listener: () => void) => () => void;
}>;

type Channel = Pick<BroadcastChannel, 'postMessage' | 'addEventListener'>;

/** The outbox of this tab. `channel` tells the other tabs of every change. */
export function createOutbox(store: OutboxStore, channel?: Channel, now = Date.now): Outbox {
  const listeners = createListeners();
  const workers = createListeners();
  const known = createKnown<readonly Entry[]>(store.list, [], listeners.tell);
  const ofOthers = createKnown(store.countForOtherAccounts, 0, listeners.tell);
  const progress = new Map<string, number>();
  const hear = (what: unknown): void => {
    for (const one of [known, ofOthers]) one.readAll();
    // The tab that has something new may be closed before it is sent.
    if (what === 'work') workers.tell();
  };
  const tell = tellTabs(channel, hear);
  const [changed, moved] = [tell('changed'), tell('work')];
  return {
    store,
    getEntries: known.get,
    getCountForOtherAccounts: ofOthers.get,
    getProgress: (part) => progress.get(part),
    subscribe: listeners.add,
    keep: async (of, parts, earlier) => {
      const files = await (await loadKeeping()).keepParts(store, of, parts, { now, earlier });
      await known.read(of.owner);
      moved();
      return files;
    },
    retry: (id) => store.apply(id, { type: 'retry' }).then(moved),
    giveUp: (id, part) => store.apply(id, { type: 'given-up', part }).then(moved),
    remove: (id) => store.remove(id).then(changed),
    changed,
    progressed: (part, fraction) => {
      progress.set(part, fraction);
      listeners.tell();
    },
    onWork: workers.add,
  };
}

/** Returns a function that passes an event on to the outbox of every open tab, this one included. */
function tellTabs(channel: Channel | undefined, hear: (what: unknown) => void): (what: string) => () => void {
  channel?.addEventListener('message', ({ data }) => hear(data));
  return (what) => () => {
    hear(what);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this origin
    channel?.postMessage(what);
  };
}

function createListeners() {
  const all = new Set<() => void>();
  return {
    add: (listener: () => void): (() => void) => {
      all.add(listener);
      return () => all.delete(listener);
    },
    tell: (): void => all.forEach((listener) => listener()),
  };
}

/** What was last read for each owner that was asked for; `none` before that. `onRead`: it may have changed. */
function createKnown<T>(load: (owner: string) => Promise<T>, none: T, onRead: () => void) {
  const known = new Map<string, T>();
  const read = async (owner: string): Promise<void> => {
    // What could not be read now is still there.
    known.set(owner, await load(owner).catch(() => known.get(owner) ?? none));
    onRead();
  };
  return {
    read,
    readAll: (): void => [...known.keys()].forEach((owner) => void read(owner)),
    get: (owner: string): T | undefined => {
      if (!known.has(owner)) {
        known.set(owner, none);
        void read(owner);
      }
      return known.get(owner);
    },
  };
}

const loadKeeping = laterPart('outbox', () => import('./keeping.ts'));
const loadStore = async (): Promise<OutboxStore> => (await loadKeeping()).browserStore();

/** The store of this tab, loaded with its first use. */
function laterStore(): OutboxStore {
  return {
    list: async (owner) => (await afterPaint().then(loadStore)).list(owner),
    countForOtherAccounts: async (owner) => (await afterPaint().then(loadStore)).countForOtherAccounts(owner),
    open: async (of) => (await loadStore()).open(of),
    get: async (id) => (await loadStore()).get(id),
    apply: async (id, event) => (await loadStore()).apply(id, event),
    putFile: async (...given) => (await loadStore()).putFile(...given),
    blob: async (id, content) => (await loadStore()).blob(id, content),
    remove: async (id) => (await loadStore()).remove(id),
  };
}

let made: Outbox | undefined;

/** The one of this tab. */
export function browserOutbox(): Outbox {
  made ??= createOutbox(laterStore(), 'BroadcastChannel' in globalThis ? new BroadcastChannel('outbox') : undefined);
  return made;
}

const NONE: readonly Entry[] = [];

type OutboxHandle = Pick<Outbox, 'keep' | 'retry' | 'remove' | 'giveUp' | 'getProgress'> &
  Readonly<{ entries: readonly Entry[] }>;

/** Only the entries of this owner. */
export function useOutbox(owner: string): OutboxHandle {
  const outbox = browserOutbox();
  const read = useCallback(() => outbox.getEntries(owner) ?? NONE, [outbox, owner]);
  const entries = useSyncExternalStore(outbox.subscribe, read);
  return { ...outbox, entries };
}

/** The owner of this browser's outbox: the stored user, else the device. */
export function ownerHere({ supabaseUrl }: AppConfig): string {
  return storedUser(supabaseUrl)?.id ?? DEVICE_OWNER;
}
