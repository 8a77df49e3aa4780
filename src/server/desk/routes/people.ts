import { DESK_PATH, ExportRequestSchema, type Person, type Ticket } from '#contract/desk-files.ts';
import { collectPersonMembers } from '../archive/members.ts';
import { sendArchive } from '../archive/pack.ts';
import { DeskError, parseRequest } from '../error.ts';
import { countPerson, listMailSubjects, readPersonDossier, requirePerson } from '../person.ts';
import { administratorRoute, downloadRoute } from '../route.ts';
import { TEXTS } from '../texts.ts';

const EXPORT_PATH = `${DESK_PATH}/exports/person`;

/** GET /people?email=: counts what is stored about a person. */
export const findPerson = administratorRoute(
  { method: 'GET', url: `${DESK_PATH}/people` },
  ({ context, request }, { client }): Promise<Person> => {
    const { email } = parseRequest(ExportRequestSchema, request.query);
    return countPerson(client, context.mails, email);
  },
);

/** POST /exports: issues a ticket for the export of a person. */
export const requestExport = administratorRoute(
  { method: 'POST', url: `${DESK_PATH}/exports`, body: ExportRequestSchema },
  async ({ context: { access, mails }, body: { email } }, admin): Promise<Ticket> => {
    await requirePerson(admin.client, mails, email);
    return { url: await access.issueUrl(admin, EXPORT_PATH, email) };
  },
);

/** GET /exports/person: the download that the ticket opens. */
export const downloadExport = downloadRoute(
  { method: 'GET', url: EXPORT_PATH },
  async ({ context: { mails, backend }, reply }, { admin: { client }, email }) => {
    if (email === undefined) throw new DeskError('ticket_invalid');
    const dossier = await readPersonDossier(client, email);
    const queued = dossier.mails.map((mail) => mail.message_id);
    const letters = await mails.find(listMailSubjects(email, dossier.contributions, queued));
    const members = collectPersonMembers({ client, backend: backend(), mails }, { email, dossier, letters });
    return sendArchive(reply, TEXTS.personArchive(today()), members);
  },
);

function today(): string {
  return new Date().toISOString().slice(0, 10);
}
