import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DESK_PATH, ErasureListSchema, ErasureRequestSchema, type ErasureRequest } from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import type { Desk } from '../deps.ts';
import { answerErasure } from '../erasure/answer.ts';
import { DeskFailure } from '../faults.ts';
import { valid } from '../parse.ts';
import { expectPerson } from '../person.ts';

const Query = z.object({ after: z.guid().optional() });

/** POST /erasures and GET /erasures: what was erased, and what is still under way. */
export function erasures(app: FastifyInstance, { gate, mails, worker }: Desk): void {
  app.post(`${DESK_PATH}/erasures`, async (request, reply) => {
    const admin = await gate.admit(request);
    const subject = valid(ErasureRequestSchema, request.body);
    if (worker === undefined) throw new DeskFailure('not_configured');
    if ('email' in subject) await expectPerson(admin.client, mails, subject.email);
    return answerErasure(reply, worker, await record(admin, subject));
  });
  app.get(`${DESK_PATH}/erasures`, { exposeHeadRoute: false }, async (request) => {
    const { client } = await gate.admit(request);
    const { after } = valid(Query, request.query);
    const { data, error } = await client.rpc('desk_erasures', { after: after ?? null });
    if (error !== null) throw new DeskFailure('backend_failed', { cause: error });
    return ErasureListSchema.parse(data);
  });
}

const Refusal = z.enum(['contribution_not_found', 'own_account', 'last_admin']);

/** Durable when it resolves. The database looks once more whether this administrator may. */
async function record({ client }: Administrator, subject: ErasureRequest): Promise<string> {
  const { data, error } = await client.rpc('desk_erase', { subject });
  if (error === null) return z.string().parse(data);
  throw new DeskFailure(Refusal.safeParse(error.message).data ?? 'backend_failed', { cause: error });
}
