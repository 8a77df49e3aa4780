/** Tokens that come back with time. Pure but for its own level; the caller says the time. */
export type Bucket = Readonly<{ take: (amount: number, nowMs: number) => boolean }>;

/** `perMs` tokens a millisecond, at most `capacity` saved up. `take` is false where too few are left. */
export function createBucket(capacity: number, perMs: number, startMs: number): Bucket {
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
