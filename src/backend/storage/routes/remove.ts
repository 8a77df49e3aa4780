import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CallerContext } from '../../database/index.ts';
import { buildContext, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { parseInput, StorageError } from '../errors.ts';
import { checkKey } from '../names.ts';
import { OBJECT_COLUMNS, type StoredObject } from '../object.ts';
import { LARGE_BODY, storageRoute, type StorageRoute } from '../route.ts';
import { removeUnclaimed } from '../unclaimed-files.ts';

type Params = { bucket: string; '*': string };

const Name = z.union([z.string(), z.object({ path: z.string() }).transform(({ path }) => path)]);
/** Upstream calls the whole names `prefixes`. */
const ManyBody = z.object({ prefixes: z.array(Name).min(1).max(1_000) });

async function removeMany(deps: StorageDeps, request: FastifyRequest<{ Params: Params }>): Promise<StoredObject[]> {
  const caller = await requireCaller(request, deps.keys);
  const { prefixes } = parseInput(ManyBody, request.body, 'body');
  const context = buildContext(request, caller, 'storage.object.delete_many');
  return remove(deps, context, request.params.bucket, prefixes);
}

async function removeOne(deps: StorageDeps, request: FastifyRequest<{ Params: Params }>) {
  const caller = await requireCaller(request, deps.keys);
  const context = buildContext(request, caller, 'storage.object.delete');
  const removed = await remove(deps, context, request.params.bucket, [checkKey(request.params['*'])]);
  if (removed.length === 0) throw new StorageError('NoSuchKey');
  return { message: 'Successfully deleted' };
}

const DELETE = `delete from storage.objects where bucket_id = $1 and name = any($2) returning ${OBJECT_COLUMNS}`;

/** Ignores missing objects and those that the caller may not delete. */
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

export const REMOVE_ROUTES: readonly StorageRoute[] = [
  storageRoute({ method: 'DELETE', url: '/object/:bucket', body: ManyBody, options: LARGE_BODY }, removeMany),
  storageRoute({ method: 'DELETE', url: '/object/:bucket/*' }, removeOne),
];
