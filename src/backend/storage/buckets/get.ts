import type { FastifyInstance } from 'fastify';
import { contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { findBucket, presentBucket } from './bucket.ts';

/** GET /bucket/{id} */
export function getBucket(app: FastifyInstance, { database, keys }: StorageDeps): void {
  app.get<{ Params: { bucket: string } }>('/bucket/:bucket', async (request) => {
    const caller = await requireCaller(request, keys);
    const context = contextOf(request, caller, 'storage.bucket.get');
    return presentBucket(await findBucket(database, context, request.params.bucket));
  });
}
