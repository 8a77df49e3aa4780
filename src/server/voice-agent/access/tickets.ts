import { newTicket } from '../../sealed-tickets.ts';
import type { Clock } from '../clock.ts';

/** Single-use, short-lived keys to one thing. */
export type Tickets<T> = Readonly<{
  /** A new ticket: 256 random bits. Beyond a number of them, the owner's oldest one ends. */
  issue: (owner: string, value: T) => Promise<string>;
  /** What the ticket stands for, once; undefined where it is unknown, used or expired. */
  redeem: (ticket: string) => Promise<T | undefined>;
}>;

type Held<T> = Readonly<{ owner: string; value: T; until: number }>;

const HELD_MAX = 10_000;

/** Kept in this process: the same server must take the connection. */
export function createTickets<T>(lifeMs: number, perOwner: number, clock: Clock): Tickets<T> {
  const held = new Map<string, Held<T>>();
  const dropExpired = (): void => {
    // Insertion order is order of expiry, so the first living one ends the search.
    for (const [ticket, { until }] of held) {
      if (until > clock.now() && held.size < HELD_MAX) return;
      held.delete(ticket);
    }
  };
  const dropSurplus = (owner: string): void => {
    const own = [...held].filter(([, one]) => one.owner === owner);
    for (const [ticket] of own.slice(0, Math.max(0, own.length - perOwner + 1))) held.delete(ticket);
  };
  return {
    issue: async (owner, value) => {
      dropExpired();
      dropSurplus(owner);
      const ticket = newTicket();
      held.set(ticket, { owner, value, until: clock.now() + lifeMs });
      return ticket;
    },
    redeem: async (ticket) => {
      const found = held.get(ticket);
      held.delete(ticket);
      return found !== undefined && found.until > clock.now() ? found.value : undefined;
    },
  };
}
