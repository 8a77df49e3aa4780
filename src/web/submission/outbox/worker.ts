import { keepActive } from '#web/backend/activity.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { BackendError, type BackendErrorKind } from '#web/backend/errors.ts';
import { createInterview, hasLostRights, recordOrigin } from '#web/backend/interviews.ts';
import type { SessionState } from '#web/backend/session-state.ts';
import { originOfLocal } from '../content-id.ts';
import { numericId } from '../local-id.ts';
import { sendPart } from '../saving.ts';
import { type EntryEvent, getAttempt, hasArrivedBefore, nextStep } from './entry-life.ts';
import { DEVICE_OWNER, type Entry, isRetryableKind, type Part, statusOfEntry } from './entry.ts';
import type { OutboxStore } from './store.ts';

/** How long after a round that left something the backend is asked again: a lost connection is often back at once. */
const ASK_AGAIN_FIRST_MS = 1_000;
const ASK_AGAIN_MOST_MS = 15_000;
const LOCK = 'outbox';

/** How often the tab with the lock says that it lives; hidden, browsers let it once a minute. */
const BEAT_MS = 20_000;
/** A tab that says nothing for so long is suspended, and on iOS keeps the lock all the same. */
const SUSPENDED_MS = 180_000;

export type Locks = Pick<LockManager, 'request'>;

/** The tab that sends says that it lives; when one last did. */
type Pulse = Readonly<{ beat: () => void; last: () => number }>;

export function createPulse(
  channel: Pick<BroadcastChannel, 'postMessage' | 'addEventListener'> | undefined,
  now = Date.now,
): Pulse {
  let lived = 0;
  const hear = (): void => void (lived = now());
  channel?.addEventListener('message', hear);
  const beat = (): void => {
    hear();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this origin
    channel?.postMessage('alive');
  };
  return { beat, last: () => lived };
}

type WorkerDeps = DrainDeps &
  Readonly<{
    locks: Locks | undefined;
    pulse: Pulse;
    /** Calls again after `ms`; returns the way to stop that. */
    later: (call: () => void, ms: number) => () => void;
  }>;

export type OutboxWorker = Readonly<{
  /** Something may have to be sent, or may go now. */
  kick: () => void;
  stop: () => void;
}>;

/**
 * Sends the outbox of one owner by itself. One tab at a time: the lock is waited for, and it ends with its tab, so that
 * the next one takes over what a crash left. From a tab that is suspended it is taken: that one stops when it wakes;
 * what it sends until then doubles nothing.
 */
export function startWorker(deps: WorkerDeps, owner: string): OutboxWorker {
  let stopped = false;
  let wanted = false;
  let running = false;
  let forget = (): void => undefined;
  let pause = ASK_AGAIN_FIRST_MS;
  const kick = (): void => {
    pause = ASK_AGAIN_FIRST_MS;
    wake();
  };
  const round = async (): Promise<void> => {
    if (stopped || (await deps.store.list(owner)).length === 0) return;
    const outcome = await runExclusively(deps, (taken) => drain({ ...deps, taken }, owner)).catch(warn);
    if (outcome === 'over' || stopped) return;
    forget = deps.later(wake, pause);
    pause = Math.min(2 * pause, ASK_AGAIN_MOST_MS);
  };
  const run = async (): Promise<void> => {
    running = true;
    while (wanted) {
      wanted = false;
      forget();
      await round().catch(warn);
    }
    running = false;
  };
  function wake(): void {
    wanted = true;
    if (!running && !stopped) void run();
  }
  return {
    kick,
    stop: () => {
      stopped = true;
      forget();
    },
  };
}

const warn = (error: unknown): void => console.warn('outbox:', error instanceof Error ? error.name : '');

let last: Promise<unknown> = Promise.resolve();

/** `taken` is aborted where another tab takes the lock. */
type Work<T> = (taken: AbortSignal) => Promise<T>;

/** Without Web Locks at least this tab does one thing after the other. */
async function runExclusively<T>(deps: WorkerDeps, work: Work<T>): Promise<T> {
  if (deps.locks !== undefined) return runWithLock(deps, deps.locks, work);
  const run = (): Promise<T> => work(new AbortController().signal);
  const mine = last.then(run, run);
  last = mine.catch(() => undefined);
  return mine;
}

async function runWithLock<T>({ pulse, now, later }: WorkerDeps, locks: Locks, work: Work<T>): Promise<T> {
  const waiting = new AbortController();
  const start = now();
  let stop = (): void => undefined;
  const look = (): void => {
    if (now() - Math.max(start, pulse.last()) < SUSPENDED_MS) stop = later(look, BEAT_MS);
    else waiting.abort();
  };
  const beat = (): void => {
    pulse.beat();
    stop = later(beat, BEAT_MS);
  };
  const taken = new AbortController();
  let held: Promise<T> | undefined;
  const hold = (): Promise<T> => {
    stop();
    beat();
    return (held = work(taken.signal));
  };
  const request = (options: LockOptions): Promise<T> =>
    locks.request(LOCK, options, hold).catch((error: unknown) => {
      if (held === undefined) throw error;
      // Where the round itself has failed, nothing is left to stop.
      taken.abort();
      return held;
    });
  look();
  return request({ signal: waiting.signal })
    .catch((error: unknown) => {
      if (held !== undefined || !waiting.signal.aborted) throw error;
      return request({ steal: true });
    })
    .finally(() => stop());
}

export type DrainDeps = Readonly<{
  store: OutboxStore;
  clientFor: (key: string) => BackendClient;
  /** Who works in this browser now. */
  currentOwner: () => string;
  now: () => number;
  /** Whether any part of the backend answers. */
  reachable: () => Promise<boolean>;
  changed: () => void;
  onProgress: (part: string, fraction: number) => void;
}>;

/**
 * `over`: nothing is left that another round may move: what remains needs the user. `left`: something still waits that
 * it may. `offline`: the backend does not answer, so the rest was not even tried.
 */
type Drained = 'over' | 'left' | 'offline';

type Round = DrainDeps & Readonly<{ taken: AbortSignal }>;

/** Sends what there is of this owner, entry by entry. Must run in one tab at a time (the worker's lock). */
async function drain(deps: Round, owner: string): Promise<Drained> {
  const entries = await deps.store.list(owner);
  const interrupted = entries.filter((entry) => statusOfEntry(entry) === 'sending');
  for (const { id } of interrupted) await record(deps, id, { type: 'resumed' });
  if (!(await deps.reachable())) return 'offline';
  let left = false;
  for (const { id } of entries) {
    const outcome = await drainEntry(deps, id, owner);
    if (outcome === 'offline') return 'offline';
    left ||= outcome === 'left';
  }
  return left ? 'left' : 'over';
}

async function drainEntry(deps: Round, id: string, owner: string): Promise<Drained> {
  const tried = new Set<string>();
  let entry = await deps.store.get(id);
  while (entry !== undefined) {
    if (deps.taken.aborted || deps.currentOwner() !== owner) return 'left';
    const step = nextStep(entry, tried);
    if (step.step === 'done') return 'over';
    // Nothing has been tried yet in the next round: what is stuck even there needs the user.
    if (step.step === 'stuck') return nextStep(entry).step === 'stuck' ? 'over' : 'left';
    const { status } = step.step === 'send' ? step.part.state : entry.row;
    const release = keepActive(status === 'failed');
    try {
      const problem =
        step.step === 'send' ? await deliver(deps, entry, step.row, step.part) : await makeRow(deps, entry);
      // A gateway that cuts off one large file must not keep everything else back.
      if (problem === 'unreachable' && !(await deps.reachable())) return 'offline';
      if (problem !== undefined && step.step === 'insert-row') return isRetryableKind(problem) ? 'left' : 'over';
      if (step.step === 'send') tried.add(getAttempt(step.part));
    } finally {
      release();
    }
    entry = await deps.store.get(id);
  }
  return 'over';
}

async function deliver(deps: Round, entry: Entry, row: number, part: Part): Promise<BackendErrorKind | undefined> {
  const { store } = deps;
  const about = { part: part.id, revision: part.revision };
  await record(deps, entry.id, { type: 'started', ...about });
  try {
    await sendPart(deps.clientFor(entry.key), row, part, {
      now: new Date(deps.now()),
      signal: deps.taken,
      blob: (file) => store.blob(entry.id, file),
      onProgress: (fraction) => deps.onProgress(`${entry.id}:${part.id}`, fraction),
    });
    await record(deps, entry.id, { type: 'sent', ...about });
    return undefined;
  } catch (error) {
    // Another tab sends it by now, and says how that went.
    if (deps.taken.aborted) return undefined;
    const reason = await getReason(deps, entry, error);
    if (reason === 'refused' && hasArrivedBefore(entry, part, deps.now())) {
      await record(deps, entry.id, { type: 'sent', ...about });
      return undefined;
    }
    const event = reason === 'unreachable' ? ({ type: 'interrupted' } as const) : ({ type: 'failed', reason } as const);
    await record(deps, entry.id, { ...event, ...about });
    return reason;
  }
}

/** D9: the key was there before the first insert, and the database makes one row for it however often it is asked. */
async function makeRow(deps: DrainDeps, entry: Entry): Promise<BackendErrorKind | undefined> {
  try {
    const client = deps.clientFor(entry.key);
    const id = numericId(await createInterview(client, new Date(deps.now())));
    if (id === undefined) throw new BackendError('failed', 'the row has no number');
    await record(deps, entry.id, { type: 'row-known', id });
    void recordOrigin(client, id, originOfLocal(entry.area, entry.contentId));
    return undefined;
  } catch (error) {
    const reason = await getReason(deps, entry, error);
    if (reason !== 'unreachable') await record(deps, entry.id, { type: 'row-failed', reason });
    return reason;
  }
}

async function record(deps: DrainDeps, id: string, event: EntryEvent): Promise<Entry | undefined> {
  const entry = await deps.store.apply(id, event);
  deps.changed();
  return entry;
}

/** A login that has ended, or that has no rights yet, refuses nothing for good: the next one sends it. */
async function getReason(deps: DrainDeps, { key, owner }: Entry, error: unknown): Promise<BackendErrorKind> {
  const kind = error instanceof BackendError ? error.kind : 'failed';
  if (kind === 'refused') await deps.clientFor(key).recheck?.();
  return hasLostRights(error) || deps.currentOwner() !== owner ? 'unreachable' : kind;
}

/** The owner of this session's outbox; undefined until the session is known. */
export function ownerOf(session: SessionState): string | undefined {
  if (session.status === 'initialising') return undefined;
  return session.status === 'signed-in' ? session.user.id : DEVICE_OWNER;
}
