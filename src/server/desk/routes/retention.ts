import type { SupabaseClient } from '@supabase/supabase-js';
import { z } from 'zod';
import { DESK_PATH, RetentionRunSchema, RetentionSchema, type Retention } from '#contract/desk-files.ts';
import { audit } from '../audit.ts';
import { answerErasure } from '../erasure/worker.ts';
import { DeskError, Id, parseRequest } from '../error.ts';
import type { Period } from '../retention-period.ts';
import { administratorRoute } from '../route.ts';

const PATH = `${DESK_PATH}/retention`;
const Query = z.object({ after: Id.optional(), before: z.iso.datetime({ offset: true }).optional() });
const NEVER: Retention = { days: null, before: null, total: 0, oldest: null, items: [], next: null };

/** GET /retention: previews what the period erases. */
export const previewRetention = administratorRoute(
  { method: 'GET', url: PATH },
  async ({ context: { period }, request }, { client }): Promise<Retention> => {
    const { after, before = period?.dueBefore() } = parseRequest(Query, request.query);
    await audit(client, 'retention', {});
    if (period === undefined || before === undefined) return NEVER;
    requireDue(period, before);
    return preview(client, period, before, after);
  },
);

/** POST /retention: erases what the period erases. */
export const runRetention = administratorRoute(
  { method: 'POST', url: PATH, body: RetentionRunSchema },
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

async function preview(client: SupabaseClient, { days }: Period, before: string, after: number | undefined) {
  const { data, error } = await client.rpc('desk_retention', { before, after: after ?? null });
  if (error !== null) throw new DeskError('backend_failed', { cause: error });
  return RetentionSchema.parse({ ...data, days, before });
}
