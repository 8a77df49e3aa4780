import type { FastifyInstance } from 'fastify';
import { contextOf, requireCaller } from '../caller.ts';
import { isBrokenReference } from '../database-errors.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { findBucket } from './bucket.ts';

/** DELETE /bucket/{id}: only an empty one. */
export function deleteBucket(app: FastifyInstance, { database, keys }: StorageDeps): void {
  app.delete<{ Params: { bucket: string } }>('/bucket/:bucket', async (request) => {
    const caller = await requireCaller(request, keys);
    const context = contextOf(request, caller, 'storage.bucket.delete');
    const bucket = await findBucket(database, context, request.params.bucket);
    try {
      const result = await database.asCaller(context, (tx) =>
        tx.query('delete from storage.buckets where id = $1', [bucket.id]),
      );
      if (result.rowCount === 0) throw new StorageError('NoSuchBucket');
    } catch (error) {
      throw isBrokenReference(error) ? new StorageError('ResourceNotEmpty', undefined, { cause: error }) : error;
    }
    return { message: 'Successfully deleted' };
  });
}
