import { createHash } from 'node:crypto';
import { ERRORS } from '../errors.ts';
import { BoundedMap } from '#lib/rate-limiter.ts';

type Attempt = Readonly<{
  /** A key of the account, whether it exists or not. */
  account: string;
  network: string;
  /** Whether the account was logged in to, or its factor verified, from exactly this address; false by default. */
  isKnown?: () => Promise<boolean>;
}>;

type Outcome = Readonly<{ fail: () => void; succeed: () => void; withdraw: () => void }>;

type Pair = { failures: number; pending: number; failedAt: number; waiting: (() => void)[] };

const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 2_000;
const MAX_WAIT_MS = 15 * 60_000;
const FORGIVEN_AFTER_MS = 60 * 60_000;
const MAX_PAIRS = 50_000;
/** The rate of attempts on one account from everywhere. */
export const ACCOUNT_ATTEMPT_LIMIT = { tokens: 10, perMs: 300_000, burst: 20 };

/**
 * Slows down password and code guessing (threat 13). Each pair of account and network has some free failures and then
 * waits, twice as long each time. Besides, every attempt takes one from the account's limited rate
 * (`ACCOUNT_ATTEMPT_LIMIT`), which all servers share; with none left (`takeAccountAttempt`: false) only addresses of
 * earlier logins go on, so nothing is refused for ever. The address is looked up last to save the query.
 */
export function createLoginThrottle(now: () => number, takeAccountAttempt: (account: string) => Promise<boolean>) {
  const pairs = new BoundedMap<Pair>(MAX_PAIRS);
  const mayBegin = async (account: string, isKnown: Attempt['isKnown']): Promise<boolean> =>
    (await takeAccountAttempt(account)) || ((await isKnown?.()) ?? false);
  return {
    /** Resolves to the callbacks that end the attempt; undefined where the attempt is refused now. */
    begin: async ({ account, network, isKnown }: Attempt): Promise<Outcome | undefined> => {
      const key = createHash('sha256').update(`${account}\n${network}`).digest('base64url');
      const pair = pairs.get(key) ?? { failures: 0, pending: 0, failedAt: 0, waiting: [] };
      pairs.set(key, pair);
      // A clock that was set back counts from the correction on.
      pair.failedAt = Math.min(pair.failedAt, now());
      if (now() >= pair.failedAt + FORGIVEN_AFTER_MS) pair.failures = 0;
      if (!(await waitForSlot(pair, now))) return undefined;
      const outcome = createOutcome(pair, now);
      const allowed = await mayBegin(account, isKnown).catch((error: unknown) => {
        outcome.withdraw();
        throw error;
      });
      if (allowed) return outcome;
      outcome.withdraw();
      return undefined;
    },
  };
}

export type LoginThrottle = ReturnType<typeof createLoginThrottle>;

/** Waits while running attempts could still use up the free failures, so that many correct logins all succeed. */
async function waitForSlot(pair: Pair, now: () => number): Promise<boolean> {
  for (;;) {
    if (now() < pair.failedAt + getWaitMs(pair)) return false;
    const free = Math.max(1, FREE_FAILURES - pair.failures);
    if (pair.pending < free) break;
    await new Promise<void>((resolve) => void pair.waiting.push(resolve));
  }
  pair.pending += 1;
  return true;
}

function getWaitMs({ failures }: Pair): number {
  return failures < FREE_FAILURES ? 0 : Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - FREE_FAILURES));
}

function createOutcome(pair: Pair, now: () => number): Outcome {
  const end = (): void => {
    pair.pending -= 1;
    for (const wake of pair.waiting.splice(0)) wake();
  };
  return {
    fail: () => {
      pair.failures += 1;
      pair.failedAt = now();
      end();
    },
    succeed: () => {
      pair.failures = 0;
      end();
    },
    withdraw: end,
  };
}

/**
 * Runs `work` as one attempt; `judge` decides how it ended, and an attempt that throws does not count. Throws AuthError
 * where the attempt is refused now.
 */
export async function throttleAttempt<Result>(
  throttle: LoginThrottle,
  attempt: Attempt,
  work: () => Promise<Result>,
  judge: (result: Result) => keyof Outcome,
): Promise<Result> {
  const outcome = await throttle.begin(attempt);
  if (outcome === undefined) throw ERRORS.rateLimit();
  const result = await work().catch((error: unknown) => {
    outcome.withdraw();
    throw error;
  });
  outcome[judge(result)]();
  return result;
}
