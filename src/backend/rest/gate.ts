import { overloaded, tooManyRequests } from './errors.ts';

export type GateLimits = Readonly<{
  /** Requests that run at the same time, all callers together. */
  total: number;
  perCaller: number;
  /** Requests of one caller whose answer may be large. */
  largePerCaller: number;
  /** Requests of one caller that wait for their turn. */
  waitingPerCaller: number;
  waitMs: number;
}>;

/** `caller` undefined: counted in the total alone. */
export type Entrant = Readonly<{ caller: string | undefined; large: boolean }>;

export type Gate = Readonly<{
  /** Runs `work` when there is room. Throws RestError 429 for one caller's excess, 503 where the server is full. */
  pass: <T>(entrant: Entrant, work: () => Promise<T>) => Promise<T>;
}>;

type Counts = { running: number; large: number; waiting: number };
type Waiter = Readonly<{ entrant: Entrant; admit: () => void }>;

/** Bounds how many requests of one caller and of all callers are in the database at the same time. */
export function createGate(limits: GateLimits): Gate {
  const callers = new Map<string, Counts>();
  const queue = new Set<Waiter>();
  let running = 0;

  const countsOf = (caller: string): Counts => callers.get(caller) ?? { running: 0, large: 0, waiting: 0 };

  function change(entrant: Entrant, by: Partial<Counts>): void {
    if (entrant.caller === undefined) return;
    const now = countsOf(entrant.caller);
    const next = {
      running: now.running + (by.running ?? 0),
      large: now.large + (by.large ?? 0),
      waiting: now.waiting + (by.waiting ?? 0),
    };
    if (next.running + next.waiting === 0) callers.delete(entrant.caller);
    else callers.set(entrant.caller, next);
  }

  function mayRun({ caller, large }: Entrant): boolean {
    if (running >= limits.total) return false;
    if (caller === undefined) return true;
    const counts = countsOf(caller);
    return counts.running < limits.perCaller && (!large || counts.large < limits.largePerCaller);
  }

  function start(entrant: Entrant): void {
    running += 1;
    change(entrant, { running: 1, large: entrant.large ? 1 : 0 });
  }

  function end(entrant: Entrant): void {
    running -= 1;
    change(entrant, { running: -1, large: entrant.large ? -1 : 0 });
    for (const waiter of queue) if (mayRun(waiter.entrant)) waiter.admit();
  }

  function wait(entrant: Entrant): Promise<void> {
    if (entrant.caller !== undefined && countsOf(entrant.caller).waiting >= limits.waitingPerCaller) {
      throw tooManyRequests();
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer);
        queue.delete(waiter);
        change(entrant, { waiting: -1 });
      };
      const timer = setTimeout(() => {
        leave();
        reject(running >= limits.total ? overloaded() : tooManyRequests());
      }, limits.waitMs);
      const admit = (): void => {
        leave();
        start(entrant);
        resolve();
      };
      const waiter: Waiter = { entrant, admit };
      change(entrant, { waiting: 1 });
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
  };
}
