import type { FastifyInstance } from 'fastify';
import { findAnyBucket } from '../buckets/bucket.ts';
import { contextOf, ownerOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { checkKey } from '../names.ts';
import { ownerColumns } from '../owner.ts';
import { parse } from '../parse.ts';
import { findObject } from './object.ts';
import { checkFits, TransferSchema } from './transfer.ts';

const MOVE = `update storage.objects
  set bucket_id = $3, name = $4, owner = $5, owner_id = $6, updated_at = now() where bucket_id = $1 and name = $2`;

/** POST /object/move: a new name for the same bytes, so the row is all that changes. */
export function moveObject(app: FastifyInstance, { database, keys, config }: StorageDeps): void {
  app.post('/object/move', async (request) => {
    const caller = await requireCaller(request, keys);
    const body = parse(TransferSchema, request.body, 'body');
    const context = contextOf(request, caller, 'storage.object.move');
    const name = checkKey(body.destinationKey);
    const source = await findObject(database, context, body.bucketId, body.sourceKey);
    const bucket = await findAnyBucket(database, body.destinationBucket ?? body.bucketId);
    checkFits(source, bucket, config.storage.file_size_limit);
    const owner = ownerColumns(ownerOf(caller));
    const values = [source.bucket_id, source.name, bucket.id, name, owner.uuid, owner.text];
    const result = await database.asCaller(context, (tx) => tx.query(MOVE, values));
    if (result.rowCount === 0) throw new StorageError('NoSuchKey');
    return { message: 'Successfully moved' };
  });
}
