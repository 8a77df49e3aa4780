import type { FastifyInstance } from 'fastify';
import { DESK_PATH, TicketRequestSchema, type Ticket } from '#contract/desk-files.ts';
import type { Desk } from '../deps.ts';
import { valid } from '../parse.ts';

/** POST /tickets: so that a plain link can download. */
export function tickets(app: FastifyInstance, { gate }: Desk): void {
  app.post(`${DESK_PATH}/tickets`, async (request): Promise<Ticket> => {
    const admin = await gate.admit(request);
    const { path } = valid(TicketRequestSchema, request.body);
    return { url: await gate.ticketFor(admin, path) };
  });
}
