import type { Clock } from '../clock.ts';
import type { z } from 'zod';
import type { Database } from '#backend/index.ts';
import { newTicket, seal, ticketId, unseal } from '../../sealed-tickets.ts';

/** Single-use, short-lived tickets. */
export type Tickets<T> = Readonly<{
  /** Creates a ticket of 256 random bits. An owner with too many loses the oldest. */
  issue: (owner: string, value: T) => Promise<string>;
  /** Returns the ticket's value once; undefined where it is unknown, used or expired. */
  redeem: (ticket: string) => Promise<T | undefined>;
}>;

type Held<T> = Readonly<{ owner: string; value: T; until: number }>;

const HELD_MAX = 10_000;

/** Stores tickets in this process: the same server must take the connection. */
export function createTickets<T>(lifeMs: number, perOwner: number, clock: Clock): Tickets<T> {
  const held = new Map<string, Held<T>>();
  const dropExpired = (): void => {
    // Tickets expire in the order of insertion, so the first valid one ends the search.
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

export type SharedTicketsOptions<T> = Readonly<{
  database: Database;
  lifeMs: number;
  perOwner: number;
  /** Parses a stored value. */
  schema: z.ZodType<T>;
}>;

/** Stores tickets in the database: any server of the installation may take the connection. */
export function createSharedTickets<T>({ database, lifeMs, perOwner, schema }: SharedTicketsOptions<T>): Tickets<T> {
  return {
    issue: async (owner, value) => {
      const ticket = newTicket();
      await database.asOwner(async (tx) => {
        await tx.query('delete from private.voice_tickets where expires_at < now()');
        await tx.query(
          `insert into private.voice_tickets (id, owner, sealed, expires_at)
           values ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond')`,
          [ticketId(ticket), owner, seal(ticket, value), lifeMs],
        );
        await tx.query(
          `delete from private.voice_tickets where id in (
             select id from private.voice_tickets where owner = $1 order by expires_at desc offset $2)`,
          [owner, perOwner],
        );
      });
      return ticket;
    },
    redeem: async (ticket) => {
      const found = await database.asOwner((tx) =>
        tx.query<{ sealed: Buffer; alive: boolean }>(
          'delete from private.voice_tickets where id = $1 returning sealed, expires_at > now() as alive',
          [ticketId(ticket)],
        ),
      );
      const row = found.rows[0];
      return row?.alive === true ? schema.parse(unseal(ticket, row.sealed)) : undefined;
    },
  };
}
