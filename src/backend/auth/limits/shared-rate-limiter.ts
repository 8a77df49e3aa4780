import { createHmac } from 'node:crypto';
import type { Database, Tx } from '../../database/index.ts';
import type { RateLimit } from '#lib/rate-limiter.ts';

type SharedRateLimiterOptions = Readonly<{
  /** Keeps the keys of different limits apart. */
  name: string;
  rule: RateLimit;
  /** Keys the hash that the table stores instead of an address. */
  secret: Uint8Array;
  database: Pick<Database, 'asOwner'>;
  now: () => number;
}>;

// Clocks of servers never differ so much: the clock was wrong when the bucket was filled, and it counts as full.
const AHEAD = `b.filled_at > $3::timestamptz + interval '1 hour'`;
const FILLED = `case when ${AHEAD} then $2::float8
  else least($2::float8, b.tokens + greatest(0, extract(epoch from $3 - b.filled_at)) * $4::float8) end`;
// Never back in time: where the clocks of two servers differ, each turn would refill the difference once more.
const TAKE = `
  insert into auth.shared_buckets as b (key, tokens, filled_at) values ($1, $2::float8 - 1, $3::timestamptz)
  on conflict (key) do update set tokens = ${FILLED} - 1,
    filled_at = case when ${AHEAD} then $3 else greatest(b.filled_at, $3) end
  where ${FILLED} >= 1`;
const WAIT = `select greatest(0, 1 - ${FILLED}) / $4 * 1000 as ms from auth.shared_buckets as b where key = $1`;

/** A rate limiter like createRateLimiter whose tokens all servers on the database share. */
export function createSharedRateLimiter({ name, rule, secret, database, now }: SharedRateLimiterOptions) {
  const perSecond = (rule.tokens * 1_000) / rule.perMs;
  const params = (key: string): unknown[] => {
    const hash = createHmac('sha256', secret).update(`${name}\n${key}`).digest();
    return [hash, rule.burst, new Date(now()), perSecond];
  };
  const wait = async (tx: Tx, key: string): Promise<number> => {
    if (rule.burst < 1) return rule.perMs;
    const { rows } = await tx.query<{ ms: number }>(WAIT, params(key));
    return rows[0]?.ms ?? 0;
  };
  const take = async (tx: Tx, key: string): Promise<number> => {
    if (rule.burst < 1) return rule.perMs;
    if ((await tx.query(TAKE, params(key))).rowCount === 1) return 0;
    return Math.max(1, await wait(tx, key));
  };
  return {
    /**
     * Takes one token of `key`. Resolves to 0, or to the milliseconds until the next token. A rollback of `tx` returns
     * it.
     */
    take: (key: string, tx?: Tx): Promise<number> =>
      tx === undefined ? database.asOwner((own) => take(own, key)) : take(tx, key),
    /** Milliseconds until there is a token of `key`; takes none. */
    waitMs: (key: string): Promise<number> => database.asOwner((tx) => wait(tx, key)),
  };
}

export type SharedRateLimiter = ReturnType<typeof createSharedRateLimiter>;
