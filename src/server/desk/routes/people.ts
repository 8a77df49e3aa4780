import type { SupabaseClient } from '@supabase/supabase-js';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import * as contract from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import { audit } from '../access.ts';
import { collectPersonMembers } from '../archive/members.ts';
import { sendArchive } from '../archive/pack.ts';
import type { Period } from '../erasure/steps.ts';
import type { Worker } from '../erasure/worker.ts';
import { DeskError, getData, parseRequest } from '../error.ts';
import { formatDay } from '../file-names.ts';
import { countPerson, listMailSubjects, readPersonDossier, requirePerson } from '../person.ts';
import { administratorRoute, downloadRoute } from '../route.ts';
import { TEXTS } from '../texts.ts';

const EXPORT_PATH = `${contract.DESK_PATH}/exports/person`;

/** GET /people?email=: counts what is stored about a person. */
export const findPerson = administratorRoute(
  { method: 'GET', url: `${contract.DESK_PATH}/people` },
  ({ context, request }, { client }): Promise<contract.Person> => {
    const { email } = parseRequest(contract.ExportRequestSchema, request.query);
    return countPerson(client, context.mails, email);
  },
);

/** POST /exports: issues a ticket for the export of a person. */
export const requestExport = administratorRoute(
  { method: 'POST', url: `${contract.DESK_PATH}/exports`, body: contract.ExportRequestSchema },
  async ({ context: { access, mails }, body: { email } }, admin): Promise<contract.Ticket> => {
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
    return sendArchive(reply, TEXTS.personArchive(formatDay(new Date())), members);
  },
);

const ERASURES_PATH = `${contract.DESK_PATH}/erasures`;
const ErasuresQuery = z.object({ after: z.guid().optional() });

/** POST /erasures: erases a contribution or a person. */
export const erase = administratorRoute(
  { method: 'POST', url: ERASURES_PATH, body: contract.ErasureRequestSchema },
  async ({ context: { worker, mails }, reply, body }, admin) => {
    if (worker === undefined) throw new DeskError('not_configured');
    if ('email' in body) await requirePerson(admin.client, mails, body.email);
    return answerErasure(reply, worker, await record(admin, body));
  },
);

/** GET /erasures: receipts and open erasures. */
export const listErasures = administratorRoute(
  { method: 'GET', url: ERASURES_PATH },
  async ({ request }, { client }) => {
    const { after } = parseRequest(ErasuresQuery, request.query);
    return contract.ErasureListSchema.parse(getData(await client.rpc('desk_erasures', { after: after ?? null })));
  },
);

const Refusal = z.enum(['contribution_not_found', 'own_account', 'last_admin']);

/** Records the erasure durably. The database checks the administrator again. */
async function record({ client }: Administrator, subject: contract.ErasureRequest): Promise<string> {
  const { data, error } = await client.rpc('desk_erase', { subject });
  if (error === null) return z.string().parse(data);
  throw new DeskError(Refusal.safeParse(error.message).data ?? 'backend_failed', { cause: error });
}

const RETENTION_PATH = `${contract.DESK_PATH}/retention`;
const RetentionQuery = z.object({
  after: z.hex().max(400).optional(),
  before: z.iso.datetime({ offset: true }).optional(),
});
const NEVER: contract.Retention = { days: null, before: null, total: 0, oldest: null, items: [], next: null };

/** GET /retention: previews what the period erases. */
export const previewRetention = administratorRoute(
  { method: 'GET', url: RETENTION_PATH },
  async ({ context: { period }, request }, { client }): Promise<contract.Retention> => {
    const { after, before = period?.dueBefore() } = parseRequest(RetentionQuery, request.query);
    await audit(client, 'retention', {});
    if (period === undefined || before === undefined) return NEVER;
    requireDue(period, before);
    return preview(client, period, before, after);
  },
);

/** POST /retention: erases what the period erases. */
export const runRetention = administratorRoute(
  { method: 'POST', url: RETENTION_PATH, body: contract.RetentionRunSchema },
  async ({ context: { period, worker }, reply, body: { before } }, { id, client }) => {
    if (worker === undefined) throw new DeskError('not_configured');
    if (period === undefined) throw new DeskError('retention_off');
    requireDue(period, before);
    await audit(client, 'retention', { detail: { run: 1 } });
    return answerErasure(reply, worker, await worker.recordRetention(before, id));
  },
);

function requireDue(period: Period, before: string): void {
  if (Date.parse(before) > Date.parse(period.dueBefore())) throw new DeskError('retention_too_early');
}

async function preview(client: SupabaseClient, { days }: Period, before: string, after: string | undefined) {
  const data = getData(await client.rpc('desk_retention', { before, after: after ?? null }));
  return contract.RetentionSchema.parse({ ...data, days, before });
}

const ACCEPTED = 202;

/** Answers 200 with the receipt, or 202 if the erasure takes longer. Throws DeskError: erasure_unfinished. */
async function answerErasure(reply: FastifyReply, worker: Worker, erasure: string): Promise<contract.ErasureAnswer> {
  const receipt = await worker.run(erasure).catch((cause: unknown) => {
    throw new DeskError('erasure_unfinished', { cause });
  });
  if (receipt !== undefined) return { state: 'done', receipt };
  void reply.code(ACCEPTED);
  return { state: 'running', id: erasure };
}
