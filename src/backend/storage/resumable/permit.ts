import type { FastifyRequest } from 'fastify';
import { addressOf, networkOf } from '#http/network.ts';
import { contextOf, networkFor, ownerOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { readUploadPermit } from '../signed-tokens.ts';
import { signerContext } from '../signer.ts';
import { tryWrite, type PlannedObject } from '../upload/permission.ts';
import type { UploadPlan } from './plan.ts';

/** In whose name an upload goes on. */
export type Permit = Readonly<{
  network: string | undefined;
  /** Asked once, when an upload to `url` (`bucket/name`) is created. Throws what refuses. */
  terms: (url: string) => Promise<Readonly<{ owner: string | undefined; upsert: boolean }>>;
  /** Asked at every request about an upload. Throws what refuses. */
  check: (plan: UploadPlan, size: number | undefined) => Promise<void>;
}>;

/** Row-level security decides, before the first byte and before each later one. Throws InvalidRequest, TokenError. */
export async function permitOf(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const caller = await requireCaller(request, deps.keys);
  const context = contextOf(request, caller, 'storage.object.upload');
  const terms = { owner: ownerOf(caller), upsert: request.headers['x-upsert'] === 'true' };
  return {
    network: networkFor(request, caller),
    terms: async () => terms,
    check: (plan, size) => tryWrite(deps.database, context, plannedObject(plan, size)),
  };
}

/**
 * The token of a signed upload stands for the permission asked when it was made: its owner, its upsert. Throws
 * InvalidJWT.
 */
export async function signedPermitOf(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const token = request.headers['x-signature'];
  const text = typeof token === 'string' ? token : '';
  const read = (url: string) => readUploadPermit(text, url, deps.keys.urlSecret);
  return {
    network: networkOf(addressOf(request)),
    terms: async (url) => {
      const { owner, upsert } = await read(url);
      return { owner, upsert };
    },
    check: async (plan, size) => {
      const { signer } = await read(`${plan.bucket.id}/${plan.name}`);
      if (signer === undefined) return;
      const context = await signerContext(deps, request, signer, 'storage.object.upload_signed');
      await tryWrite(deps.database, context, plannedObject(plan, size));
    },
  };
}

function plannedObject(plan: UploadPlan, contentLength: number | undefined): PlannedObject {
  const { bucket, name, owner, upsert, type, userMetadata } = plan;
  return { bucket: bucket.id, name, owner, upsert, metadata: { mimetype: type, contentLength }, userMetadata };
}
