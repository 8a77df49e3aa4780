import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DESK_PATH, ErasureListSchema, ErasureRequestSchema, type ErasureRequest } from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import type { Desk } from '../deps.ts';
import { answerErasure } from '../erasure/worker.ts';
import { DeskError } from '../error.ts';
import { parseRequest } from '../parse.ts';
import { requirePerson } from '../person.ts';

const Query = z.object({ after: z.guid().optional() });

/** POST /erasures erases, GET /erasures lists receipts and open erasures. */
export function erasures(app: FastifyInstance, { access, mails, worker }: Desk): void {
  app.post(`${DESK_PATH}/erasures`, async (request, reply) => {
    const admin = await access.requireAdministrator(request);
    const subject = parseRequest(ErasureRequestSchema, request.body);
    if (worker === undefined) throw new DeskError('not_configured');
    if ('email' in subject) await requirePerson(admin.client, mails, subject.email);
    return answerErasure(reply, worker, await record(admin, subject));
  });
  app.get(`${DESK_PATH}/erasures`, { exposeHeadRoute: false }, async (request) => {
    const { client } = await access.requireAdministrator(request);
    const { after } = parseRequest(Query, request.query);
    const { data, error } = await client.rpc('desk_erasures', { after: after ?? null });
    if (error !== null) throw new DeskError('backend_failed', { cause: error });
    return ErasureListSchema.parse(data);
  });
}

const Refusal = z.enum(['contribution_not_found', 'own_account', 'last_admin']);

/** Records the erasure durably. The database checks the administrator again. */
async function record({ client }: Administrator, subject: ErasureRequest): Promise<string> {
  const { data, error } = await client.rpc('desk_erase', { subject });
  if (error === null) return z.string().parse(data);
  throw new DeskError(Refusal.safeParse(error.message).data ?? 'backend_failed', { cause: error });
}
