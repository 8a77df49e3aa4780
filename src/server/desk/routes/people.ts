import type { FastifyInstance } from 'fastify';
import { DESK_PATH, ExportRequestSchema, type Person, type Ticket } from '#contract/desk-files.ts';
import { collectPersonMembers } from '../archive/members.ts';
import { sendArchive } from '../archive/pack.ts';
import type { Desk } from '../deps.ts';
import { DeskError } from '../error.ts';
import { parseRequest } from '../parse.ts';
import { countPerson, listMailSubjects, readPersonDossier, requirePerson } from '../person.ts';
import { TEXTS } from '../texts.ts';

const EXPORT_PATH = `${DESK_PATH}/exports/person`;

/** GET /people?email=, POST /exports, and the download that its ticket opens. */
export function people(app: FastifyInstance, { access, mails, backend }: Desk): void {
  app.get(`${DESK_PATH}/people`, { exposeHeadRoute: false }, async (request): Promise<Person> => {
    const { client } = await access.requireAdministrator(request);
    const { email } = parseRequest(ExportRequestSchema, request.query);
    return countPerson(client, mails, email);
  });
  app.post(`${DESK_PATH}/exports`, async (request): Promise<Ticket> => {
    const admin = await access.requireAdministrator(request);
    const { email } = parseRequest(ExportRequestSchema, request.body);
    await requirePerson(admin.client, mails, email);
    return { url: await access.issueUrl(admin, EXPORT_PATH, email) };
  });
  app.get(EXPORT_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const { admin, email } = await access.authorizeDownload(request);
    if (email === undefined) throw new DeskError('ticket_invalid');
    const dossier = await readPersonDossier(admin.client, email);
    const queued = dossier.mails.map((mail) => mail.message_id);
    const letters = await mails.find(listMailSubjects(email, dossier.contributions, queued));
    const members = collectPersonMembers(
      { client: admin.client, backend: backend(), mails },
      { email, dossier, letters },
    );
    return sendArchive(reply, TEXTS.personArchive(today()), members);
  });
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
