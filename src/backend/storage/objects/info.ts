import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findAnyBucket } from '../buckets/bucket.ts';
import { callerIfAny, contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { validatorsOf } from '../download/headers.ts';
import { StorageError } from '../errors.ts';
import { findAnyObject, findObject, type StoredObject } from './object.ts';

type Request = FastifyRequest<{ Params: { bucket: string; '*': string } }>;

/** GET /object/info/[authenticated/|public/]{bucket}/{path} */
export function objectInfo(app: FastifyInstance, deps: StorageDeps): void {
  app.get('/object/info/:bucket/*', async (request: Request, reply) => present(reply, await find(deps, request)));
  app.get('/object/info/authenticated/:bucket/*', async (request: Request, reply) => {
    await requireCaller(request, deps.keys);
    return present(reply, await find(deps, request));
  });
  app.get('/object/info/public/:bucket/*', async (request: Request, reply) => {
    const { bucket, '*': name } = request.params;
    if (!(await findAnyBucket(deps.database, bucket)).public) throw new StorageError('NoSuchBucket');
    return present(reply, await findAnyObject(deps.database, bucket, name));
  });
}

async function find({ database, keys }: StorageDeps, request: Request): Promise<StoredObject> {
  const { bucket: bucketId, '*': name } = request.params;
  const caller = await callerIfAny(request, keys);
  const bucket = await findAnyBucket(database, bucketId);
  if (bucket.public) return findAnyObject(database, bucketId, name);
  if (caller === undefined) throw new StorageError('NoSuchBucket');
  return findObject(database, contextOf(request, caller, 'storage.object.info_authenticated'), bucketId, name);
}

function present(reply: FastifyReply, object: StoredObject): Record<string, unknown> {
  const { metadata } = object;
  const { eTag, lastModified } = validatorsOf(object);
  void reply.headers({ etag: eTag, 'last-modified': lastModified.toUTCString(), 'cache-control': 'no-cache' });
  return {
    id: object.id,
    name: object.name,
    version: object.version,
    bucket_id: object.bucket_id,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: object.user_metadata ?? {},
    last_modified: object.updated_at,
    created_at: object.created_at,
  };
}
