import type { z } from 'zod';
import type { Database } from '#backend/index.ts';
import { newTicket, seal, ticketId, unseal } from '../../sealed-tickets.ts';
import type { Tickets } from './tickets.ts';

export type SharedTicketsOptions<T> = Readonly<{
  database: Database;
  lifeMs: number;
  perOwner: number;
  /** What a ticket stands for, as it comes back. */
  schema: z.ZodType<T>;
}>;

/** Kept in the database: any server of the installation may take the connection. */
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
