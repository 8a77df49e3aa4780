/** Which stored recordings somebody works on right now, in this tab or another. Ends by itself when a tab crashes. */
export type Liveness = Readonly<{
  /** Until the returned function is called. */
  hold: (id: string) => () => void;
  held: () => Promise<ReadonlySet<string>>;
}>;

const PREFIX = 'recording:';

/** On Web Locks: the browser lets go of a lock when its tab is gone, however that happened. */
export function lockLiveness(locks: Pick<LockManager, 'request' | 'query'> | undefined): Liveness {
  const own = new Set<string>();
  return {
    hold: (id) => {
      own.add(id);
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      locks?.request(`${PREFIX}${id}`, () => released).catch(() => undefined);
      return () => {
        own.delete(id);
        release();
      };
    },
    held: async () => {
      const state = await locks?.query().catch(() => undefined);
      const names = (state?.held ?? []).map((lock) => lock.name ?? '').filter((name) => name.startsWith(PREFIX));
      return new Set([...own, ...names.map((name) => name.slice(PREFIX.length))]);
    },
  };
}
