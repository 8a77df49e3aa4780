export type RateLimit = Readonly<{ tokens: number; perMs: number; burst: number }>;

const MAX_KEYS = 50_000;

/** Token buckets, one a key: `tokens` flow in evenly over `perMs`, at most `burst` wait. */
export function createRateLimiter(rule: RateLimit, now: () => number) {
  const filled = new BoundedMap<{ tokens: number; at: number }>(MAX_KEYS);
  const left = (key: string): number => {
    const before = filled.get(key);
    if (before === undefined) return rule.burst;
    // A clock that was set back takes no tokens away.
    return Math.min(rule.burst, before.tokens + (Math.max(0, now() - before.at) * rule.tokens) / rule.perMs);
  };
  return {
    /** Takes one token of `key`; false where none is left. */
    take: (key: string): boolean => {
      const tokens = left(key);
      const taken = tokens >= 1;
      filled.set(key, { tokens: taken ? tokens - 1 : tokens, at: now() });
      return taken;
    },
    /** Milliseconds until the next token of `key`. */
    waitMs: (key: string): number => Math.max(0, ((1 - left(key)) * rule.perMs) / rule.tokens),
  };
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** A map that forgets the key untouched for longest, so that made-up keys cannot fill the memory. */
export class BoundedMap<Value> {
  readonly #entries = new Map<string, Value>();
  readonly #most: number;
  constructor(most: number) {
    this.#most = most;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#most && oldest.done !== true) this.#entries.delete(oldest.value);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }
}
