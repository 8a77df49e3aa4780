import { answersUnread, overloaded, tooManyRequests, type RestError } from './errors.ts';

export type ConcurrencyRules = Readonly<{
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

/** `caller` undefined: counted only in the total. */
export type LimitedRequest = Readonly<{ caller: string | undefined; large: boolean }>;

/** Bounds the requests in the database, and the bytes that wait for clients, for each caller and for all. */
export function createConcurrencyLimit(rules: ConcurrencyRules) {
  const counts = createCounts(rules);
  const queue = createQueue(counts, rules.waitMs);
  return {
    /** Runs `work` once it may run. Throws RestError 429 for one caller's excess, 503 where the server is full. */
    run: async <T>(request: LimitedRequest, work: () => Promise<T>): Promise<T> => {
      if (counts.mayRun(request)) counts.changeRunning(request, 1);
      else await queue.wait(request);
      try {
        return await work();
      } finally {
        counts.changeRunning(request, -1);
        queue.admitWaiting();
      }
    },
    /** Counts an answer of this size as unread until the returned function is called. */
    hold: (caller: string | undefined, bytes: number): (() => void) => {
      let held = bytes;
      counts.change(caller, { unread: held });
      return () => {
        counts.change(caller, { unread: -held });
        held = 0;
        queue.admitWaiting();
      };
    },
  };
}

export type ConcurrencyLimit = ReturnType<typeof createConcurrencyLimit>;

type Waiter = Readonly<{ request: LimitedRequest; admit: () => void }>;

/** The requests that wait until they may run, no longer than `waitMs`. */
function createQueue(counts: ReturnType<typeof createCounts>, waitMs: number) {
  const waiters = new Set<Waiter>();
  return {
    admitWaiting: (): void => {
      for (const waiter of waiters) if (counts.mayRun(waiter.request)) waiter.admit();
    },
    /** Resolves when the request is counted as running. Throws RestError. */
    wait: (request: LimitedRequest): Promise<void> => {
      if (!counts.mayWait(request)) throw tooManyRequests();
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          clearTimeout(timer);
          waiters.delete(waiter);
          counts.change(request.caller, { waiting: -1 });
        };
        const timer = setTimeout(() => {
          leave();
          reject(counts.explainRefusal(request));
        }, waitMs);
        const admit = (): void => {
          leave();
          counts.changeRunning(request, 1);
          resolve();
        };
        const waiter: Waiter = { request, admit };
        counts.change(request.caller, { waiting: 1 });
        waiters.add(waiter);
      });
    },
  };
}

type Counts = Readonly<{ running: number; large: number; waiting: number; unread: number }>;
const NONE: Counts = { running: 0, large: 0, waiting: 0, unread: 0 };

function addCounts(counts: Counts, by: Partial<Counts>): Counts {
  return {
    running: counts.running + (by.running ?? 0),
    large: counts.large + (by.large ?? 0),
    waiting: counts.waiting + (by.waiting ?? 0),
    unread: counts.unread + (by.unread ?? 0),
  };
}

/** Counts for each caller and for all together. */
function createCounts(rules: ConcurrencyRules) {
  const callers = new Map<string, Counts>();
  let all = NONE;

  const getCounts = (caller: string | undefined): Counts => callers.get(caller ?? '') ?? NONE;
  const isFull = (): boolean => all.running >= rules.total || all.unread >= rules.unread;
  const hasUnread = (caller: string | undefined): boolean => getCounts(caller).unread >= rules.unreadPerCaller;

  function change(caller: string | undefined, by: Partial<Counts>): void {
    all = addCounts(all, by);
    if (caller === undefined) return;
    const next = addCounts(getCounts(caller), by);
    if (next.running + next.waiting + next.unread === 0) callers.delete(caller);
    else callers.set(caller, next);
  }

  return {
    change,
    changeRunning: ({ caller, large }: LimitedRequest, by: 1 | -1) =>
      change(caller, { running: by, large: large ? by : 0 }),
    mayRun: ({ caller, large }: LimitedRequest): boolean => {
      if (isFull() || hasUnread(caller)) return false;
      const { running, large: largeOnes } = getCounts(caller);
      return caller === undefined || (running < rules.perCaller && (!large || largeOnes < rules.largePerCaller));
    },
    mayWait: ({ caller }: LimitedRequest): boolean => getCounts(caller).waiting < rules.waitingPerCaller,
    explainRefusal: ({ caller }: LimitedRequest): RestError => {
      if (isFull()) return overloaded();
      return hasUnread(caller) ? answersUnread() : tooManyRequests();
    },
  };
}
