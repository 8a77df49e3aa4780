import { BoundedMap } from './bounded-map.ts';

export type BucketRule = Readonly<{ tokens: number; perMs: number; burst: number }>;

export type Buckets = Readonly<{
  /** Takes one token of `key`; false where none is left. */
  take: (key: string) => boolean;
  /** Milliseconds until the next token of `key`. */
  waitMs: (key: string) => number;
}>;

const MOST_KEYS = 50_000;

/** Token buckets, one a key: `tokens` flow in evenly over `perMs`, at most `burst` wait. */
export function createBuckets(rule: BucketRule, now: () => number): Buckets {
  const filled = new BoundedMap<{ tokens: number; at: number }>(MOST_KEYS);
  const left = (key: string): number => {
    const before = filled.get(key);
    if (before === undefined) return rule.burst;
    return Math.min(rule.burst, before.tokens + ((now() - before.at) * rule.tokens) / rule.perMs);
  };
  return {
    take: (key) => {
      const tokens = left(key);
      const taken = tokens >= 1;
      filled.set(key, { tokens: taken ? tokens - 1 : tokens, at: now() });
      return taken;
    },
    waitMs: (key) => Math.max(0, ((1 - left(key)) * rule.perMs) / rule.tokens),
  };
}
