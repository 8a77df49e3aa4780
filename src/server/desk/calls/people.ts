import type { FastifyInstance } from 'fastify';
import { DESK_PATH, ExportRequestSchema, type Person, type Ticket } from '#contract/desk-files.ts';
import { personMembers } from '../archive/person-members.ts';
import { sendArchive } from '../archive/send.ts';
import type { Desk } from '../deps.ts';
import { DeskFailure } from '../faults.ts';
import { valid } from '../parse.ts';
import { countPerson, expectPerson, readPersonDossier, subjectsOf } from '../person.ts';
import { TEXTS } from '../texts.ts';

const EXPORT_PATH = `${DESK_PATH}/exports/person`;

/** GET /people?email=, POST /exports, and what its ticket opens. */
export function people(app: FastifyInstance, { gate, mails, backend }: Desk): void {
  app.get(`${DESK_PATH}/people`, { exposeHeadRoute: false }, async (request): Promise<Person> => {
    const { client } = await gate.admit(request);
    const { email } = valid(ExportRequestSchema, request.query);
    return countPerson(client, mails, email);
  });
  app.post(`${DESK_PATH}/exports`, async (request): Promise<Ticket> => {
    const admin = await gate.admit(request);
    const { email } = valid(ExportRequestSchema, request.body);
    await expectPerson(admin.client, mails, email);
    return { url: await gate.ticketFor(admin, EXPORT_PATH, email) };
  });
  app.get(EXPORT_PATH, { exposeHeadRoute: false }, async (request, reply) => {
    const { admin, email } = await gate.admitDownload(request);
    if (email === undefined) throw new DeskFailure('ticket_invalid');
    const dossier = await readPersonDossier(admin.client, email);
    const queued = dossier.mails.map((mail) => mail.message_id);
    const letters = await mails.find(subjectsOf(email, dossier.contributions, queued));
    const members = personMembers({ client: admin.client, backend: backend(), mails }, { email, dossier, letters });
    return sendArchive(reply, TEXTS.personArchive(today()), members);
  });
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
