import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findAnyBucket } from '../buckets/bucket.ts';
import { contextOf, networkFor, ownerOf, requireCaller } from '../caller.ts';
import { checkAllowedType } from '../content-type.ts';
import type { StorageDeps } from '../deps.ts';
import { checkKey } from '../names.ts';
import { parse } from '../parse.ts';
import { storeKey } from '../object-store.ts';
import { abandon, newVersion } from '../unclaimed.ts';
import { headerMetadata } from '../upload/body.ts';
import { completeUpload, type FinishedUpload } from '../upload/complete.ts';
import { tryWrite } from '../upload/permission.ts';
import { findObject, type ObjectMetadata, type StoredObject } from './object.ts';
import { checkFits, TransferSchema } from './transfer.ts';

const HeaderText = z.string().regex(/^[\u0020-\u007E]{1,200}$/);
const Body = TransferSchema.extend({
  copyMetadata: z.boolean().default(true),
  metadata: z.object({ cacheControl: HeaderText.optional(), mimetype: HeaderText.optional() }).nullish(),
});

/** POST /object/copy: the caller must be able to see the source and to write the destination. */
export function copyObject(app: FastifyInstance, deps: StorageDeps): void {
  const { database, keys, config } = deps;
  app.post('/object/copy', async (request: FastifyRequest) => {
    const caller = await requireCaller(request, keys);
    const body = parse(Body, request.body, 'body');
    const context = contextOf(request, caller, 'storage.object.copy');
    const name = checkKey(body.destinationKey);
    const source = await findObject(database, context, body.bucketId, body.sourceKey);
    const bucket = await findAnyBucket(database, body.destinationBucket ?? body.bucketId);
    checkFits(source, bucket, config.storage.file_size_limit);
    const metadata = copiedMetadata(source, body);
    if (metadata.mimetype !== source.metadata?.mimetype) checkAllowedType(metadata.mimetype, bucket.allowed_mime_types);
    const planned = {
      bucket: bucket.id,
      name,
      owner: ownerOf(caller),
      upsert: request.headers['x-upsert'] === 'true',
      metadata,
      network: networkFor(request, caller),
      userMetadata: body.copyMetadata ? (source.user_metadata ?? undefined) : headerMetadata(request.headers),
    };
    await tryWrite(database, context, planned);
    const object = await copyBytes(deps, source, planned);
    return { Key: `${bucket.id}/${name}`, Id: object.id, ...object };
  });
}

function copiedMetadata(source: StoredObject, body: z.infer<typeof Body>): ObjectMetadata {
  const { size = 0, eTag = '""', mimetype = '', cacheControl = 'no-cache', detectedType } = source.metadata ?? {};
  const changes = body.copyMetadata ? {} : body.metadata;
  return {
    eTag,
    size,
    mimetype: changes?.mimetype ?? mimetype,
    cacheControl: changes?.cacheControl ?? cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: size,
    httpStatusCode: 200,
    ...(detectedType === undefined ? {} : { detectedType }),
  };
}

async function copyBytes(
  deps: StorageDeps,
  source: StoredObject,
  planned: Omit<FinishedUpload, 'version'>,
): Promise<StoredObject> {
  const from = storeKey(source.version ?? '');
  const version = await newVersion(deps);
  try {
    await deps.store.copy(from, storeKey(version));
    return await completeUpload(deps, { ...planned, version });
  } catch (error) {
    await abandon(deps, version);
    throw error;
  }
}
