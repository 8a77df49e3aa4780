import type { FastifyRequest } from 'fastify';
import { contextOf, ownerOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { readUploadPermit } from '../signed-tokens.ts';
import { signerContext } from '../signer.ts';
import { tryWrite, type PlannedObject } from '../upload/permission.ts';
import type { UploadPlan } from './plan.ts';

/** In whose name an upload goes on. */
export type Permit = Readonly<{
  /** Asked once, when an upload to `url` (`bucket/name`) is created. Throws what refuses. */
  terms: (url: string) => Promise<Readonly<{ owner: string | undefined; upsert: boolean }>>;
  /** Asked at every request about an upload. Throws what refuses. */
  check: (plan: UploadPlan) => Promise<void>;
}>;

/** Row-level security decides, before the first byte and before each later one. Throws InvalidRequest, TokenError. */
export async function permitOf(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const caller = await requireCaller(request, deps.keys);
  const context = contextOf(request, caller, 'storage.object.upload');
  const terms = { owner: ownerOf(caller), upsert: request.headers['x-upsert'] === 'true' };
  return {
    terms: async () => terms,
    check: (plan) => tryWrite(deps.database, context, plannedObject(plan)),
  };
}

/** The token of a signed upload stands for the permission asked when it was made: its owner, its upsert. Throws InvalidJWT. */
export async function signedPermitOf(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const token = request.headers['x-signature'];
  const text = typeof token === 'string' ? token : '';
  const read = (url: string) => readUploadPermit(text, url, deps.keys.urlSecret);
  return {
    terms: async (url) => {
      const { owner, upsert } = await read(url);
      return { owner, upsert };
    },
    check: async (plan) => {
      const { signer } = await read(`${plan.bucket.id}/${plan.name}`);
      if (signer === undefined) return;
      const context = await signerContext(deps, request, signer, 'storage.object.upload_signed');
      await tryWrite(deps.database, context, plannedObject(plan));
    },
  };
}

function plannedObject({ bucket, name, owner, upsert, type, userMetadata }: UploadPlan): PlannedObject {
  return { bucket: bucket.id, name, owner, upsert, metadata: { mimetype: type }, userMetadata };
}
