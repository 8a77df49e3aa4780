import type { Clock } from '../clock.ts';

/** Hands messages on in order; one that waits for the database holds back those behind it. */
export type Delivery<T> = Readonly<{
  /** With `until` the message waits for it, but no longer than SHOW_AFTER_MS. */
  send: (message: T, until?: Promise<void>) => void;
  /** Runs `work` after everything sent so far; at once where nothing waits. */
  afterAll: (work: () => void) => void;
}>;

/** A database that does not answer delays a line by this much, and loses nothing: the line is written later. */
const SHOW_AFTER_MS = 5_000;

export function createDelivery<T>(put: (message: T) => void, clock: Clock): Delivery<T> {
  let waiting = 0;
  let last = Promise.resolve();

  const enqueue = (until: Promise<void>, work: () => void): void => {
    waiting += 1;
    last = runAfter([last, until], () => {
      waiting -= 1;
      work();
    });
  };

  const bounded = (until: Promise<void>): Promise<void> => {
    const late = Promise.withResolvers<void>();
    const cancel = clock.after(SHOW_AFTER_MS, late.resolve);
    return Promise.race([runAfter([until], cancel), late.promise]);
  };

  return {
    send: (message, until) => {
      if (until !== undefined) enqueue(bounded(until), () => put(message));
      else if (waiting > 0) enqueue(Promise.resolve(), () => put(message));
      else put(message);
    },
    afterAll: (work) => {
      if (waiting > 0) enqueue(Promise.resolve(), work);
      else work();
    },
  };
}

async function runAfter(before: readonly Promise<void>[], work: () => void): Promise<void> {
  await Promise.all(before);
  work();
}
