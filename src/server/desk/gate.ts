import { createClient } from '@supabase/supabase-js';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { requireAdministrator, type Administrator, type BackendAccess } from '../administrator.ts';
import { DeskFailure } from './faults.ts';
import { issueTicket, redeemTicket } from './tickets.ts';

export type Visitor = Readonly<{ admin: Administrator; email: string | undefined }>;

export type Gate = Readonly<{
  /** By the bearer. Throws NoAdministratorError. */
  admit: (request: FastifyRequest) => Promise<Administrator>;
  /** By the bearer, or by the ticket in the address. Throws NoAdministratorError and DeskFailure. */
  admitDownload: (request: FastifyRequest) => Promise<Visitor>;
  /** An address that opens `path` once, soon, in the administrator's name. Throws DeskFailure. */
  ticketFor: (admin: Administrator, path: string, email?: string) => Promise<string>;
}>;

const Query = z.object({ ticket: z.string().optional() });

/** Admits administrators. A ticket holds its buyer's token, which is checked again when the ticket is used. */
export function createGate(door: () => BackendAccess): Gate {
  const admit = (request: FastifyRequest): Promise<Administrator> => requireAdministrator(request.headers, door());
  return {
    admit,
    admitDownload: async (request) => {
      const { ticket } = Query.safeParse(request.query).data ?? {};
      if (ticket === undefined) return { admin: await admit(request), email: undefined };
      const { url, publicKey } = door();
      const anybody = createClient(url, publicKey, { auth: { persistSession: false, autoRefreshToken: false } });
      const { path, token, email } = await redeemTicket(anybody, ticket);
      if (path !== request.url.split('?', 1)[0]) throw new DeskFailure('ticket_invalid');
      return { admin: await requireAdministrator({ authorization: `Bearer ${token}` }, door()), email };
    },
    ticketFor: async ({ client, token }, path, email) =>
      `${path}?ticket=${await issueTicket(client, { path, token, email })}`,
  };
}
