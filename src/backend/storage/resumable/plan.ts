import { z } from 'zod';
import type { FastifyRequest } from 'fastify';
import { getClientAddress, toNetwork } from '#http/network.ts';
import type { CallerContext } from '../../database/index.ts';
import { checkAllowedType, checkDeclaredType, DEFAULT_TYPE } from '../content-type.ts';
import { findAnyBucket, getSizeLimit, type Bucket } from '../bucket.ts';
import { getTypeLimit, type StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { checkKey } from '../names.ts';
import { parseMetadata } from '../upload/body.ts';
import { buildContext, getNetwork, getOwner, requireCaller } from '../caller.ts';
import { readUploadPermit, openSigner } from '../signed-urls.ts';
import { type PlannedObject, tryWrite } from '../upload/object-row.ts';

/** `Upload-Metadata` of the client, and `owner` and `upsert`, which the server adds. */
const Metadata = z.object({
  bucketName: z.string(),
  objectName: z.string(),
  contentType: z.string().nullish(),
  cacheControl: z.string().nullish(),
  metadata: z.string().nullish(),
  owner: z.string().nullish(),
  upsert: z.string().nullish(),
});

/** The object that an upload becomes. */
export type UploadPlan = Readonly<{
  bucket: Bucket;
  name: string;
  owner: string | undefined;
  upsert: boolean;
  type: string;
  cacheControl: string;
  userMetadata: Record<string, unknown> | undefined;
  maxBytes: number;
}>;

/** The header that an upload notes when it begins: only a whole number of seconds counts. */
export function toCacheControl(seconds: string | null | undefined): string {
  return /^-?\d{1,100}$/.test(seconds ?? '') ? `max-age=${seconds}` : 'no-cache';
}

/** Throws InvalidRequest, NoSuchBucket, InvalidKey, InvalidMimeType. */
export async function planUpload(
  deps: StorageDeps,
  metadata: Record<string, string | null> | undefined,
): Promise<UploadPlan> {
  const announced = Metadata.safeParse(metadata ?? {});
  if (!announced.success) throw new StorageError('InvalidRequest', 'Metadata header is required');
  const { bucketName, objectName, contentType, cacheControl, metadata: own, owner, upsert } = announced.data;
  const bucket = await findAnyBucket(deps.database, bucketName);
  const type = checkDeclaredType(contentType ?? DEFAULT_TYPE);
  checkAllowedType(type, bucket.allowed_mime_types);
  return {
    bucket,
    name: checkKey(objectName),
    owner: owner ?? undefined,
    upsert: upsert === 'true',
    type,
    cacheControl: cacheControl?.startsWith('max-age=') === true ? cacheControl : toCacheControl(cacheControl),
    userMetadata: own === null || own === undefined ? undefined : parseMetadata(own),
    maxBytes: Math.min(
      getSizeLimit(bucket, deps.config.storage.file_size_limit),
      getTypeLimit(deps.rules, bucket.id, type),
    ),
  };
}

/** The permission to create and to continue an upload. */
export type Permit = Readonly<{
  network: string | undefined;
  /** Reads the terms of a new upload to `url` (`bucket/name`). Throws a refusal. */
  getTerms: (url: string) => Promise<Readonly<{ owner: string | undefined; upsert: boolean }>>;
  /** Checks each request about an upload. Throws a refusal. */
  check: (plan: UploadPlan, size: number | undefined) => Promise<void>;
}>;

/** Row-level security decides before the first byte and at each request. Throws InvalidRequest, TokenError. */
export async function createPermit(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const caller = await requireCaller(request, deps.keys);
  const context = forResumable(buildContext(request, caller, 'storage.object.upload'));
  const terms = { owner: getOwner(caller), upsert: request.headers['x-upsert'] === 'true' };
  return {
    network: getNetwork(request, caller),
    getTerms: async () => terms,
    check: (plan, size) => tryWrite(deps.database, context, plannedObject(plan, size)),
  };
}

/** The token carries owner and upsert of the permission that was checked when it was signed. Throws InvalidJWT. */
export async function createSignedPermit(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const token = request.headers['x-signature'];
  const read = async (url: string) => {
    if (typeof token !== 'string') throw new StorageError('InvalidSignature', 'Missing x-signature header');
    return readUploadPermit(token, url, deps.keys.serverSecret);
  };
  return {
    network: toNetwork(getClientAddress(request)),
    getTerms: async (url) => {
      const { owner, upsert } = await read(url);
      return { owner, upsert };
    },
    check: async (plan, size) => {
      const { signer } = await read(`${plan.bucket.id}/${plan.name}`);
      if (signer === undefined) return;
      const context = forResumable(await openSigner(deps, request, signer, 'storage.object.upload_signed'));
      await tryWrite(deps.database, context, plannedObject(plan, size));
    },
  };
}

/** Tells triggers that what is under way is counted elsewhere (`reserveUpload`), this upload among it. */
function forResumable(context: CallerContext): CallerContext {
  return { ...context, settings: { ...context.settings, 'storage.resumable': 'true' } };
}

function plannedObject(plan: UploadPlan, contentLength: number | undefined): PlannedObject {
  const { bucket, name, owner, upsert, type, userMetadata } = plan;
  return { bucket: bucket.id, name, owner, upsert, metadata: { mimetype: type, contentLength }, userMetadata };
}
