import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireAdministrator, type Administrator } from '../administrator.ts';
import { createBackendClient, type BackendAccess } from '../backend-client.ts';
import { newTicket, seal, ticketId, unseal } from '../sealed-tickets.ts';
import { DeskError, getData } from './error.ts';

export type DownloadRequest = Readonly<{ admin: Administrator; email: string | undefined }>;

const Query = z.object({ ticket: z.string().optional() });

/**
 * Checks access to the desk. A ticket contains its issuer's token, so the issuer's rights are checked again when it is
 * used.
 */
export function createAccess(backend: (address?: string) => BackendAccess) {
  const requireBearer = (request: FastifyRequest): Promise<Administrator> =>
    requireAdministrator(request.headers, backend());
  return {
    /** Checks the bearer token. Throws NoAdministratorError. */
    requireAdministrator: requireBearer,
    /** Checks the bearer token or the ticket in the address. Throws NoAdministratorError and DeskError. */
    authorizeDownload: async (request: FastifyRequest): Promise<DownloadRequest> => {
      const { ticket } = Query.safeParse(request.query).data ?? {};
      if (ticket === undefined) return { admin: await requireBearer(request), email: undefined };
      const anonymous = createBackendClient(backend(request.ip), backend().publicKey);
      const { path, token, email } = await redeemTicket(anonymous, ticket);
      if (path !== request.url.split('?', 1)[0]) throw new DeskError('ticket_invalid');
      return { admin: await requireAdministrator({ authorization: `Bearer ${token}` }, backend()), email };
    },
    /** Issues an address that opens `path` once within a minute. Throws DeskError. */
    issueUrl: async ({ client, token }: Administrator, path: string, email?: string): Promise<string> =>
      `${path}?ticket=${await issueTicket(client, { path, token, email })}`,
  };
}

export type Access = ReturnType<typeof createAccess>;

/** What a ticket opens, with the issuer's token. An export's `email` is here as addresses do not belong in URLs. */
type TicketContent = z.infer<typeof TicketContentSchema>;

const TicketContentSchema = z.object({ path: z.string(), token: z.string(), email: z.string().optional() });

/**
 * Stores the ticket in the database, so that any server of the installation can redeem it: by its SHA-256, with the
 * content encrypted under the ticket. Throws DeskError.
 */
async function issueTicket(buyer: SupabaseClient, content: TicketContent): Promise<string> {
  const ticket = newTicket();
  const values = { id: ticketId(ticket).toString('hex'), sealed: seal(ticket, content).toString('hex') };
  getData(await buyer.rpc('desk_ticket_keep', values));
  return ticket;
}

/** Redeems a ticket, which is used up even after a failure. Throws DeskError: ticket_invalid, backend_failed. */
async function redeemTicket(anonymous: SupabaseClient, ticket: string): Promise<TicketContent> {
  const data: unknown = getData(await anonymous.rpc('desk_ticket_redeem', { id: ticketId(ticket).toString('hex') }));
  if (typeof data !== 'string') throw new DeskError('ticket_invalid');
  return TicketContentSchema.parse(unseal(ticket, Buffer.from(data, 'hex')));
}

type Act = 'archive' | 'file' | 'erasure' | 'retention';

/** Writes the audit log before data is sent, so a failure prevents the action. Dossiers write their own lines. */
export async function audit(
  client: SupabaseClient,
  what: Act,
  { contribution, detail = {} }: Readonly<{ contribution?: number; detail?: Readonly<Record<string, number>> }>,
): Promise<void> {
  getData(await client.rpc('desk_audit', { interview_id: contribution ?? null, what, detail }));
}
