import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { newTicket, seal, ticketId, unseal } from '../sealed-tickets.ts';
import { DeskFailure } from './faults.ts';

/** What a ticket opens, in whose name. `email` goes with an export: an address has no place in a URL. */
export type Errand = z.infer<typeof ErrandSchema>;

const ErrandSchema = z.object({ path: z.string(), token: z.string(), email: z.string().optional() });

/**
 * Kept in the database, so that any server of the installation may be asked with it: under its sha256, and what it
 * stands for, the buyer's token too, readable only with the ticket. Throws DeskFailure.
 */
export async function issueTicket(buyer: SupabaseClient, errand: Errand): Promise<string> {
  const ticket = newTicket();
  const values = { id: ticketId(ticket).toString('hex'), sealed: seal(ticket, errand).toString('hex') };
  const { error } = await buyer.rpc('desk_ticket_keep', values);
  if (error !== null) throw new DeskFailure('backend_failed', { cause: error });
  return ticket;
}

/** Once: whatever comes of it, the ticket is over. Throws DeskFailure: ticket_invalid, backend_failed. */
export async function redeemTicket(anybody: SupabaseClient, ticket: string): Promise<Errand> {
  const { data, error } = await anybody.rpc('desk_ticket_redeem', { id: ticketId(ticket).toString('hex') });
  if (error !== null) throw new DeskFailure('backend_failed', { cause: error });
  if (typeof data !== 'string') throw new DeskFailure('ticket_invalid');
  return ErrandSchema.parse(unseal(ticket, Buffer.from(data, 'hex')));
}
