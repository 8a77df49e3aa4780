import type { FastifyInstance } from 'fastify';
import { contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { removeUnclaimed } from '../unclaimed.ts';
import { findBucket } from './bucket.ts';

const MESSAGE = 'Empty bucket has been queued. Completion may take up to an hour.';

/** POST /bucket/{id}/empty: removes at once what the caller may remove; the answer is upstream's. */
export function emptyBucket(app: FastifyInstance, deps: StorageDeps): void {
  const { database, keys } = deps;
  app.post<{ Params: { bucket: string } }>('/bucket/:bucket/empty', async (request) => {
    const caller = await requireCaller(request, keys);
    const context = contextOf(request, caller, 'storage.bucket.empty');
    const bucket = await findBucket(database, context, request.params.bucket);
    await database.asCaller(context, (tx) => tx.query('delete from storage.objects where bucket_id = $1', [bucket.id]));
    await removeUnclaimed(deps);
    return { message: MESSAGE };
  });
}
