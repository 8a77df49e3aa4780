import type { FastifyInstance } from 'fastify';
import { contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { checkBucketName } from '../names.ts';
import { parse } from '../parse.ts';
import { BucketSettingsSchema, bucketSettings } from './settings.ts';

/** PUT /bucket/{id}: only what is given changes. */
export function updateBucket(app: FastifyInstance, { database, keys, config }: StorageDeps): void {
  app.put<{ Params: { bucket: string } }>('/bucket/:bucket', async (request) => {
    const caller = await requireCaller(request, keys);
    const settings = bucketSettings(parse(BucketSettingsSchema, request.body, 'body'), config.storage.file_size_limit);
    const given = Object.entries(settings).filter(([, value]) => value !== undefined);
    if (given.length === 0) throw new StorageError('InvalidRequest', 'No content provided');
    const assignments = given.map(([column], index) => `${column} = $${index + 2}`).join(', ');
    const sql = `update storage.buckets set ${assignments}, updated_at = now() where id = $1 returning id`;
    const values = [checkBucketName(request.params.bucket), ...given.map(([, value]) => value)];
    const context = contextOf(request, caller, 'storage.bucket.update');
    const result = await database.asCaller(context, (tx) => tx.query(sql, values));
    if (result.rowCount === 0) throw new StorageError('NoSuchBucket');
    return { message: 'Successfully updated' };
  });
}
