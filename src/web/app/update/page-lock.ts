const NAME = 'begun-work';

/**
 * Tells the other tabs that this one must not lose its version: a new one would take away the parts it has still to
 * load.
 */
export type PageLock = Readonly<{
  hold: () => void;
  release: () => Promise<void>;
  /** Calls `work` where no tab holds the lock; false where one does. */
  ifFree: (work: () => void) => Promise<boolean>;
}>;

/** Without Web Locks (an old browser) nobody knows of the other tabs, so nothing is done by itself. */
export function pageLock(locks: Pick<LockManager, 'request'> | undefined): PageLock {
  let letGo: (() => void) | undefined;
  let held: Promise<unknown> = Promise.resolve();
  return {
    hold: () => {
      if (letGo !== undefined || locks === undefined) return;
      const released = new Promise<void>((resolve) => (letGo = resolve));
      held = locks.request(NAME, { mode: 'shared' }, () => released).catch(() => undefined);
    },
    release: async () => {
      letGo?.();
      letGo = undefined;
      await held;
    },
    ifFree: async (work) => {
      if (locks === undefined) return false;
      return locks.request(NAME, { ifAvailable: true }, (lock) => {
        if (lock !== null) work();
        return lock !== null;
      });
    },
  };
}
