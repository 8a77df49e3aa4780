/** A rate limit whose tokens come back with time. The caller gives the time. */
export type TokenBucket = Readonly<{ take: (amount: number, nowMs: number) => boolean }>;

/** Refills `perMs` tokens a millisecond up to `capacity`. `take` is false where too few are left. */
export function createTokenBucket(capacity: number, perMs: number, startMs: number): TokenBucket {
  let level = capacity;
  let last = startMs;
  return {
    take: (amount, nowMs) => {
      level = Math.min(capacity, level + Math.max(0, nowMs - last) * perMs);
      last = nowMs;
      if (amount > level) return false;
      level -= amount;
      return true;
    },
  };
}
