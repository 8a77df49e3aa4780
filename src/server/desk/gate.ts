import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { administratorOf, type Administrator, type BackendDoor } from '../administrator.ts';
import { createTickets } from '../tickets.ts';
import { DeskFailure } from './faults.ts';

const TICKET_MS = 60_000;
const TICKETS_PER_PERSON = 100;

/** What a ticket opens, in whose name. `email` goes with an export: an address has no place in a URL. */
type Errand = Readonly<{ path: string; token: string; email: string | undefined }>;

export type Visitor = Readonly<{ admin: Administrator; email: string | undefined }>;

export type Gate = Readonly<{
  /** By the bearer. Throws NoAdministratorError. */
  admit: (request: FastifyRequest) => Promise<Administrator>;
  /** By the bearer, or by the ticket in the address. Throws NoAdministratorError and DeskFailure. */
  admitDownload: (request: FastifyRequest) => Promise<Visitor>;
  /** An address that opens `path` once, soon, in the administrator's name. */
  ticketFor: (admin: Administrator, path: string, email?: string) => string;
}>;

const Query = z.object({ ticket: z.string().optional() });

/** Who may come to the desk. A ticket keeps the token it was bought with, so its buyer is looked at again when it is used. */
export function createGate(door: () => BackendDoor): Gate {
  const tickets = createTickets<Errand>(TICKET_MS, TICKETS_PER_PERSON);
  const admit = (request: FastifyRequest): Promise<Administrator> => administratorOf(request.headers, door());
  return {
    admit,
    admitDownload: async (request) => {
      const { ticket } = Query.safeParse(request.query).data ?? {};
      if (ticket === undefined) return { admin: await admit(request), email: undefined };
      const errand = tickets.redeem(ticket);
      if (errand === undefined || errand.path !== request.url.split('?', 1)[0]) throw new DeskFailure('ticket_invalid');
      const admin = await administratorOf({ authorization: `Bearer ${errand.token}` }, door());
      return { admin, email: errand.email };
    },
    ticketFor: ({ id, token }, path, email) => `${path}?ticket=${tickets.issue(id, { path, token, email })}`,
  };
}
