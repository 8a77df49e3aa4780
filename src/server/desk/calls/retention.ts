import type { FastifyInstance } from 'fastify';
import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { DESK_PATH, RetentionRunSchema, RetentionSchema, type Retention } from '#contract/desk-files.ts';
import { audit } from '../audit.ts';
import type { Desk } from '../deps.ts';
import { answerErasure } from '../erasure/answer.ts';
import { DeskFailure } from '../faults.ts';
import { Id, valid } from '../parse.ts';
import type { Period } from '../period.ts';

const PATH = `${DESK_PATH}/retention`;
const Query = z.object({ after: Id.optional(), before: z.iso.datetime({ offset: true }).optional() });
const NEVER: Retention = { days: null, before: null, total: 0, oldest: null, items: [], next: null };

/** GET /retention: what would go. POST /retention: it goes. */
export function retention(app: FastifyInstance, { gate, period, worker }: Desk): void {
  app.get(PATH, { exposeHeadRoute: false }, async (request): Promise<Retention> => {
    const { client } = await gate.admit(request);
    const { after, before = period?.dueBefore() } = valid(Query, request.query);
    await audit(client, 'retention', {});
    if (period === undefined || before === undefined) return NEVER;
    expectDue(period, before);
    return preview(client, period, before, after);
  });
  app.post(PATH, async (request, reply) => {
    const { id, client } = await gate.admit(request);
    const { before } = valid(RetentionRunSchema, request.body);
    if (worker === undefined) throw new DeskFailure('not_configured');
    if (period === undefined) throw new DeskFailure('retention_off');
    expectDue(period, before);
    await audit(client, 'retention', { detail: { run: 1 } });
    return answerErasure(reply, worker, await worker.retain(before, id));
  });
}

function expectDue(period: Period, before: string): void {
  if (Date.parse(before) > Date.parse(period.dueBefore())) throw new DeskFailure('retention_too_early');
}

async function preview(client: SupabaseClient, { days }: Period, before: string, after: number | undefined) {
  const { data, error } = await client.rpc('desk_retention', { before, after: after ?? null });
  if (error !== null) throw new DeskFailure('backend_failed', { cause: error });
  return RetentionSchema.parse({ ...data, days, before });
}
