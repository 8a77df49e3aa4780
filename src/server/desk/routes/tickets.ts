import type { FastifyInstance } from 'fastify';
import { DESK_PATH, TicketRequestSchema, type Ticket } from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import { readDossier, readFile } from '../contribution.ts';
import type { Desk } from '../deps.ts';
import { verifyStoredFile } from '../integrity.ts';
import { parseRequest } from '../parse.ts';
import { formatFileUrl } from '../stored-files.ts';

/** POST /tickets issues a ticket for a plain link. A link cannot show errors, so the file is verified here. */
export function tickets(app: FastifyInstance, { access, backend }: Desk): void {
  app.post(`${DESK_PATH}/tickets`, async (request): Promise<Ticket> => {
    const admin = await access.requireAdministrator(request);
    const { path } = parseRequest(TicketRequestSchema, request.body);
    await requireFile(admin, path, backend());
    return { url: await access.issueUrl(admin, path) };
  });
}

async function requireFile({ client, token }: Administrator, path: string, backend: string): Promise<void> {
  const [, id, file] = /\/contributions\/(\d+)(?:\/files\/(\d+))?/.exec(path) ?? [];
  if (file === undefined) return void (await readDossier(client, Number(id)));
  const { path: stored } = await readFile(client, Number(id), Number(file));
  await verifyStoredFile(formatFileUrl(backend, stored), { authorization: `Bearer ${token}` });
}
