import { createHash, randomBytes } from 'node:crypto';

/** Single-use, short-lived keys to one thing. Kept in this process: the same server must be asked with them. */
export type Tickets<T> = Readonly<{
  /** A new ticket: 256 random bits. Beyond `perOwner`, the owner's oldest one ends. */
  issue: (owner: string, value: T) => string;
  /** What the ticket stands for, once; undefined where it is unknown, used or expired. */
  redeem: (ticket: string) => T | undefined;
}>;

type Held<T> = Readonly<{ owner: string; value: T; until: number }>;

const HELD_MAX = 10_000;

/** Kept as digests: what is read out of this memory opens nothing. `clock` counts milliseconds. */
export function createTickets<T>(
  lifeMs: number,
  perOwner: number,
  clock: Readonly<{ now: () => number }> = performance,
): Tickets<T> {
  const held = new Map<string, Held<T>>();
  const dropExpired = (): void => {
    // Insertion order is order of expiry, so the first living one ends the search.
    for (const [digest, { until }] of held) {
      if (until > clock.now() && held.size < HELD_MAX) return;
      held.delete(digest);
    }
  };
  const dropSurplus = (owner: string): void => {
    const own = [...held].filter(([, one]) => one.owner === owner);
    for (const [digest] of own.slice(0, Math.max(0, own.length - perOwner + 1))) held.delete(digest);
  };
  return {
    issue: (owner, value) => {
      dropExpired();
      dropSurplus(owner);
      const ticket = randomBytes(32).toString('base64url');
      held.set(digestOf(ticket), { owner, value, until: clock.now() + lifeMs });
      return ticket;
    },
    redeem: (ticket) => {
      const digest = digestOf(ticket);
      const found = held.get(digest);
      held.delete(digest);
      return found !== undefined && found.until > clock.now() ? found.value : undefined;
    },
  };
}

function digestOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url');
}
