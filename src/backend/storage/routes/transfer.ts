import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { CallerContext } from '../../database/index.ts';
import { findAnyBucket, getSizeLimit, type Bucket } from '../bucket.ts';
import { buildContext, getNetwork, getOwner, requireCaller, toOwnerColumns } from '../caller.ts';
import { checkAllowedType, detectStoredContradiction } from '../content-type.ts';
import { getTypeLimit, type StorageDeps } from '../deps.ts';
import { parseInput, StorageError } from '../errors.ts';
import { checkKey } from '../names.ts';
import { findObject, type ObjectMetadata, type StoredObject } from '../object.ts';
import { storageRoute, type StorageRoute } from '../route.ts';
import { MissingFileError, storeKey } from '../stores/object-store.ts';
import { abandonVersion, createVersion } from '../unclaimed-files.ts';
import { parseHeaderMetadata } from '../upload/body.ts';
import { completeUpload, tryWrite, type FinishedUpload } from '../upload/object-row.ts';

const MoveBody = z.object({
  bucketId: z.string(),
  sourceKey: z.string(),
  destinationKey: z.string(),
  destinationBucket: z.string().nullish(),
});

const HeaderText = z.string().regex(/^[\u0020-\u007E]{1,200}$/);
const CopyBody = MoveBody.extend({
  copyMetadata: z.boolean().default(true),
  metadata: z.object({ cacheControl: HeaderText.optional(), mimetype: HeaderText.optional() }).nullish(),
});

const MOVE = `update storage.objects
  set bucket_id = $3, name = $4, owner = $5, owner_id = $6, updated_at = now() where bucket_id = $1 and name = $2`;

/** Changes the row only: the bytes do not carry the name. */
async function moveObject(deps: StorageDeps, request: FastifyRequest) {
  const caller = await requireCaller(request, deps.keys);
  const body = parseInput(MoveBody, request.body, 'body');
  const context = buildContext(request, caller, 'storage.object.move');
  const { source, bucket, name } = await findBothEnds(deps, context, body);
  const owner = toOwnerColumns(getOwner(caller));
  const values = [source.bucket_id, source.name, bucket.id, name, owner.uuid, owner.text];
  const result = await deps.database.asCaller(context, (tx) => tx.query(MOVE, values));
  if (result.rowCount === 0) throw new StorageError('NoSuchKey');
  return { message: 'Successfully moved' };
}

/**
 * Requires that the caller may read the source and write the destination. Begins again where the source is replaced
 * between reading its row and its bytes.
 */
async function copyObject(deps: StorageDeps, request: FastifyRequest): Promise<Record<string, unknown>> {
  const caller = await requireCaller(request, deps.keys);
  const body = parseInput(CopyBody, request.body, 'body');
  const context = buildContext(request, caller, 'storage.object.copy');
  const ends = await findBothEnds(deps, context, body);
  const owner = { owner: getOwner(caller), network: getNetwork(request, caller) };
  try {
    return await copySource(deps, request, { body, context, ends, owner });
  } catch (error) {
    const { bucket_id: id, name, version } = ends.source;
    if (!(error instanceof MissingFileError)) throw error;
    if ((await findObject(deps.database, context, id, name)).version === version) throw error;
    return copyObject(deps, request);
  }
}

type Copy = Readonly<{
  body: z.infer<typeof CopyBody>;
  context: CallerContext;
  ends: BothEnds;
  owner: Pick<FinishedUpload, 'owner' | 'network'>;
}>;

async function copySource(deps: StorageDeps, request: FastifyRequest, { body, context, ends, owner }: Copy) {
  const { source, bucket, name } = ends;
  const metadata = buildCopyMetadata(source, body);
  const isOtherType = metadata.mimetype !== source.metadata?.mimetype;
  if (isOtherType) checkTypeLimits(deps, bucket, metadata);
  const planned = {
    ...owner,
    bucket: bucket.id,
    name,
    upsert: request.headers['x-upsert'] === 'true',
    metadata,
    userMetadata: body.copyMetadata ? (source.user_metadata ?? undefined) : parseHeaderMetadata(request.headers),
  };
  await tryWrite(deps.database, context, planned);
  const detected = isOtherType ? await detectTypeOfCopy(deps, source, metadata, bucket) : {};
  const object = await copyBytes(deps, source, { ...planned, metadata: { ...metadata, ...detected } });
  return { Key: `${bucket.id}/${name}`, Id: object.id, ...object };
}

/** Throws InvalidMimeType, EntityTooLarge. */
function checkTypeLimits({ rules }: StorageDeps, bucket: Bucket, metadata: Partial<ObjectMetadata>): void {
  const { mimetype = '', detectedType, size = 0 } = metadata;
  checkAllowedType(mimetype, bucket.allowed_mime_types);
  const limits = [mimetype, detectedType].map((type) => getTypeLimit(rules, bucket.id, type));
  if (size > Math.min(...limits)) throw new StorageError('EntityTooLarge');
}

/**
 * Upstream takes any new type. A bucket that names its types takes none here that the stored bytes contradict; in any
 * other the real type is noted, as for an upload. Throws InvalidMimeType, EntityTooLarge.
 */
async function detectTypeOfCopy(
  { store, rules }: StorageDeps,
  { version }: StoredObject,
  metadata: ObjectMetadata,
  { id, allowed_mime_types: allowed }: Bucket,
): Promise<Pick<ObjectMetadata, 'detectedType'>> {
  const file = { version: version ?? '', size: metadata.size };
  const detectedType = await detectStoredContradiction(store, file, metadata.mimetype);
  if (detectedType === undefined) return {};
  if (allowed !== null && allowed.length > 0) {
    throw new StorageError('InvalidMimeType', `the content is not of mime type ${metadata.mimetype}`);
  }
  if (metadata.size > getTypeLimit(rules, id, detectedType)) throw new StorageError('EntityTooLarge');
  return { detectedType };
}

type BothEnds = Readonly<{ source: StoredObject; bucket: Bucket; name: string }>;

/** The limits of the destination's bucket hold for objects of another one. Throws EntityTooLarge, InvalidMimeType. */
async function findBothEnds(
  deps: StorageDeps,
  context: CallerContext,
  { bucketId, sourceKey, destinationKey, destinationBucket }: z.infer<typeof MoveBody>,
): Promise<BothEnds> {
  const { database, config } = deps;
  const name = checkKey(destinationKey);
  const source = await findObject(database, context, bucketId, sourceKey);
  const bucket = await findAnyBucket(database, destinationBucket || bucketId);
  if (source.bucket_id !== bucket.id) {
    const size = source.metadata?.size ?? 0;
    if (size > getSizeLimit(bucket, config.storage.file_size_limit)) throw new StorageError('EntityTooLarge');
    checkTypeLimits(deps, bucket, source.metadata ?? {});
  }
  return { source, bucket, name };
}

function buildCopyMetadata({ metadata }: StoredObject, body: z.infer<typeof CopyBody>): ObjectMetadata {
  const { size = 0, eTag = '""', mimetype = '', cacheControl = 'no-cache', detectedType } = metadata ?? {};
  const changes = body.copyMetadata ? {} : body.metadata;
  const type = changes?.mimetype ?? mimetype;
  return {
    eTag,
    size,
    mimetype: type,
    cacheControl: changes?.cacheControl ?? cacheControl,
    lastModified: new Date().toISOString(),
    contentLength: size,
    httpStatusCode: 200,
    // Of another declared type the real one is found out again.
    ...(detectedType === undefined || type !== mimetype ? {} : { detectedType }),
  };
}

async function copyBytes(
  deps: StorageDeps,
  source: StoredObject,
  planned: Omit<FinishedUpload, 'version'>,
): Promise<StoredObject> {
  const from = storeKey(source.version ?? '');
  const version = await createVersion(deps);
  try {
    await deps.store.copy(from, storeKey(version));
    return await completeUpload(deps, { ...planned, version });
  } catch (error) {
    await abandonVersion(deps, version);
    throw error;
  }
}

export const TRANSFER_ROUTES: readonly StorageRoute[] = [
  storageRoute({ method: 'POST', url: '/object/move', body: MoveBody }, moveObject),
  storageRoute({ method: 'POST', url: '/object/copy', body: CopyBody }, copyObject),
];
