import { z } from 'zod';
import { DESK_PATH, ErasureListSchema, ErasureRequestSchema, type ErasureRequest } from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import { answerErasure } from '../erasure/worker.ts';
import { DeskError, parseRequest } from '../error.ts';
import { requirePerson } from '../person.ts';
import { administratorRoute } from '../route.ts';

const PATH = `${DESK_PATH}/erasures`;
const Query = z.object({ after: z.guid().optional() });

/** POST /erasures: erases a contribution or a person. */
export const erase = administratorRoute(
  { method: 'POST', url: PATH, body: ErasureRequestSchema },
  async ({ context: { worker, mails }, reply, body }, admin) => {
    if (worker === undefined) throw new DeskError('not_configured');
    if ('email' in body) await requirePerson(admin.client, mails, body.email);
    return answerErasure(reply, worker, await record(admin, body));
  },
);

/** GET /erasures: receipts and open erasures. */
export const listErasures = administratorRoute({ method: 'GET', url: PATH }, async ({ request }, { client }) => {
  const { after } = parseRequest(Query, request.query);
  const { data, error } = await client.rpc('desk_erasures', { after: after ?? null });
  if (error !== null) throw new DeskError('backend_failed', { cause: error });
  return ErasureListSchema.parse(data);
});

const Refusal = z.enum(['contribution_not_found', 'own_account', 'last_admin']);

/** Records the erasure durably. The database checks the administrator again. */
async function record({ client }: Administrator, subject: ErasureRequest): Promise<string> {
  const { data, error } = await client.rpc('desk_erase', { subject });
  if (error === null) return z.string().parse(data);
  throw new DeskError(Refusal.safeParse(error.message).data ?? 'backend_failed', { cause: error });
}
