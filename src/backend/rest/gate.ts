import { answersUnread, overloaded, tooManyRequests, type RestError } from './errors.ts';

export type GateLimits = Readonly<{
  /** Requests that run at the same time, all callers together. */
  total: number;
  perCaller: number;
  /** Requests of one caller whose answer may be large, or which may take long. */
  largePerCaller: number;
  /** Requests of one caller that wait for their turn. */
  waitingPerCaller: number;
  waitMs: number;
  /** Bytes of answers that wait to be read by their clients: while there are as many, no further request runs. */
  unread: number;
  unreadPerCaller: number;
}>;

/** `caller` undefined: counted in the total alone. */
export type Entrant = Readonly<{ caller: string | undefined; large: boolean }>;

export type Gate = Readonly<{
  /** Runs `work` when there is room. Throws RestError 429 for one caller's excess, 503 where the server is full. */
  pass: <T>(entrant: Entrant, work: () => Promise<T>) => Promise<T>;
  /** Counts an answer of so many bytes as unread until the returned function is called. */
  hold: (caller: string | undefined, bytes: number) => () => void;
}>;

type Counts = Readonly<{ running: number; large: number; waiting: number; unread: number }>;
const NONE: Counts = { running: 0, large: 0, waiting: 0, unread: 0 };
type Waiter = Readonly<{ entrant: Entrant; admit: () => void }>;

/**
 * Bounds how many requests of one caller and of all callers are in the database, and how many bytes wait for clients.
 */
export function createGate(limits: GateLimits): Gate {
  const callers = new Map<string, Counts>();
  const queue = new Set<Waiter>();
  let running = 0;
  let unread = 0;

  const countsOf = (caller: string): Counts => callers.get(caller) ?? NONE;

  function change(caller: string | undefined, by: Partial<Counts>): void {
    if (caller === undefined) return;
    const now = countsOf(caller);
    const next = {
      running: now.running + (by.running ?? 0),
      large: now.large + (by.large ?? 0),
      waiting: now.waiting + (by.waiting ?? 0),
      unread: now.unread + (by.unread ?? 0),
    };
    if (next.running + next.waiting + next.unread === 0) callers.delete(caller);
    else callers.set(caller, next);
  }

  const isFull = (): boolean => running >= limits.total || unread >= limits.unread;
  const hasUnread = (caller: string | undefined): boolean =>
    caller !== undefined && countsOf(caller).unread >= limits.unreadPerCaller;

  function mayRun({ caller, large }: Entrant): boolean {
    if (isFull() || hasUnread(caller)) return false;
    if (caller === undefined) return true;
    const counts = countsOf(caller);
    return counts.running < limits.perCaller && (!large || counts.large < limits.largePerCaller);
  }

  function start({ caller, large }: Entrant): void {
    running += 1;
    change(caller, { running: 1, large: large ? 1 : 0 });
  }

  function end({ caller, large }: Entrant): void {
    running -= 1;
    change(caller, { running: -1, large: large ? -1 : 0 });
    admitWaiting();
  }

  function admitWaiting(): void {
    for (const waiter of queue) if (mayRun(waiter.entrant)) waiter.admit();
  }

  function refusal({ caller }: Entrant): RestError {
    if (isFull()) return overloaded();
    return hasUnread(caller) ? answersUnread() : tooManyRequests();
  }

  function wait(entrant: Entrant): Promise<void> {
    if (entrant.caller !== undefined && countsOf(entrant.caller).waiting >= limits.waitingPerCaller) {
      throw tooManyRequests();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        queue.delete(waiter);
        change(entrant.caller, { waiting: -1 });
      };
      const timer = setTimeout(() => {
        leave();
        reject(refusal(entrant));
      }, limits.waitMs);
      const admit = (): void => {
        leave();
        start(entrant);
        resolve();
      };
      const waiter: Waiter = { entrant, admit };
      change(entrant.caller, { waiting: 1 });
      queue.add(waiter);
    });
  }

  return {
    pass: async (entrant, work) => {
      if (mayRun(entrant)) start(entrant);
      else await wait(entrant);
      try {
        return await work();
      } finally {
        end(entrant);
      }
    },
    hold: (caller, bytes) => {
      let held = bytes;
      unread += held;
      change(caller, { unread: held });
      return () => {
        unread -= held;
        change(caller, { unread: -held });
        held = 0;
        admitWaiting();
      };
    },
  };
}
