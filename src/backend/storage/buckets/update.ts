import type { FastifyInstance } from 'fastify';
import { buildContext, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { checkBucketName } from '../names.ts';
import { parseInput } from '../parse.ts';
import { BucketSettingsSchema, parseBucketSettings } from './settings.ts';

/** PUT /bucket/{id}: only what is given changes. */
export function updateBucket(app: FastifyInstance, { database, keys, config }: StorageDeps): void {
  app.put<{ Params: { bucket: string } }>('/bucket/:bucket', async (request) => {
    const caller = await requireCaller(request, keys);
    const settings = parseBucketSettings(parseInput(BucketSettingsSchema, request.body, 'body'), config.storage.file_size_limit);
    const given = Object.entries(settings).filter(([, value]) => value !== undefined);
    if (given.length === 0) throw new StorageError('InvalidRequest', 'No content provided');
    const assignments = given.map(([column], index) => `${column} = $${index + 2}`).join(', ');
    const sql = `update storage.buckets set ${assignments}, updated_at = now() where id = $1 returning id`;
    const values = [checkBucketName(request.params.bucket), ...given.map(([, value]) => value)];
    const context = buildContext(request, caller, 'storage.bucket.update');
    const result = await database.asCaller(context, (tx) => tx.query(sql, values));
    if (result.rowCount === 0) throw new StorageError('NoSuchBucket');
    return { message: 'Successfully updated' };
  });
}
