import type { FastifyInstance } from 'fastify';
import { DESK_PATH, TicketRequestSchema, type Ticket } from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import { readDossier, readFile } from '../contribution.ts';
import type { Desk } from '../deps.ts';
import { valid } from '../parse.ts';
import { storedAddress } from '../stored-files.ts';
import { expectWhole } from '../whole.ts';

/**
 * POST /tickets: so that a plain link can download. A link can say nothing of what goes wrong, so it is looked for
 * here.
 */
export function tickets(app: FastifyInstance, { gate, backend }: Desk): void {
  app.post(`${DESK_PATH}/tickets`, async (request): Promise<Ticket> => {
    const admin = await gate.admit(request);
    const { path } = valid(TicketRequestSchema, request.body);
    await expectThere(admin, path, backend());
    return { url: await gate.ticketFor(admin, path) };
  });
}

async function expectThere({ client, token }: Administrator, path: string, backend: string): Promise<void> {
  const [, id, file] = /\/contributions\/(\d+)(?:\/files\/(\d+))?/.exec(path) ?? [];
  if (file === undefined) return void (await readDossier(client, Number(id)));
  const { path: stored } = await readFile(client, Number(id), Number(file));
  await expectWhole(storedAddress(backend, stored), { authorization: `Bearer ${token}` });
}
