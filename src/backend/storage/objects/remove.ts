import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CallerContext } from '../../database/index.ts';
import { contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { checkKey } from '../names.ts';
import { parse } from '../parse.ts';
import { removeUnclaimed } from '../unclaimed.ts';
import { OBJECT_COLUMNS, type StoredObject } from './object.ts';

const MAX_AT_ONCE = 1_000;
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;

const Entry = z.union([z.string(), z.object({ path: z.string() }).transform(({ path }) => path)]);
const Body = z.object({ prefixes: z.array(Entry).min(1).max(MAX_AT_ONCE) });

const DELETE = `delete from storage.objects where bucket_id = $1 and name = any($2) returning ${OBJECT_COLUMNS}`;

/** DELETE /object/{bucket} `{prefixes}` (whole names, in spite of their field's) and /object/{bucket}/{path} */
export function removeObjects(app: FastifyInstance, deps: StorageDeps): void {
  app.delete(
    '/object/:bucket',
    { bodyLimit: BODY_LIMIT_BYTES },
    async (request: FastifyRequest<{ Params: { bucket: string } }>) => {
      const caller = await requireCaller(request, deps.keys);
      const { prefixes } = parse(Body, request.body, 'body');
      const context = contextOf(request, caller, 'storage.object.delete_many');
      return remove(deps, context, request.params.bucket, prefixes);
    },
  );
  app.delete('/object/:bucket/*', async (request: FastifyRequest<{ Params: { bucket: string; '*': string } }>) => {
    const caller = await requireCaller(request, deps.keys);
    const context = contextOf(request, caller, 'storage.object.delete');
    const removed = await remove(deps, context, request.params.bucket, [checkKey(request.params['*'])]);
    if (removed.length === 0) throw new StorageError('NoSuchKey');
    return { message: 'Successfully deleted' };
  });
}

/** What the caller may not delete, or is not there, is passed over. */
async function remove(
  deps: StorageDeps,
  context: CallerContext,
  bucket: string,
  names: readonly string[],
): Promise<StoredObject[]> {
  const result = await deps.database.asCaller(context, (tx) => tx.query<StoredObject>(DELETE, [bucket, names]));
  if (result.rows.length > 0) await removeUnclaimed(deps);
  return result.rows;
}
