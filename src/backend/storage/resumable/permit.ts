import type { FastifyRequest } from 'fastify';
import { contextOf, ownerOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { readUploadPermit } from '../signed-tokens.ts';
import { tryWrite } from '../upload/permission.ts';
import type { UploadPlan } from './plan.ts';

/** In whose name an upload goes on. `check` is asked at every request about it; it throws what refuses. */
export type Permit = Readonly<{
  owner: string | undefined;
  upsert: boolean | undefined;
  check: (plan: UploadPlan) => Promise<void>;
}>;

/** Row-level security decides, before the first byte and before each later one. Throws InvalidRequest, TokenError. */
export async function permitOf(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const caller = await requireCaller(request, deps.keys);
  const context = contextOf(request, caller, 'storage.object.upload');
  return {
    owner: ownerOf(caller),
    upsert: undefined,
    check: ({ bucket, name, owner, upsert, type, userMetadata }) =>
      tryWrite(deps.database, context, {
        bucket: bucket.id,
        name,
        owner,
        upsert,
        metadata: { mimetype: type },
        userMetadata,
      }),
  };
}

/** The token of a signed upload stands for the permission asked when it was made. Throws InvalidJWT. */
export async function signedPermitOf(request: FastifyRequest, deps: StorageDeps): Promise<Permit> {
  const token = request.headers['x-signature'];
  const text = typeof token === 'string' ? token : '';
  return {
    owner: undefined,
    upsert: undefined,
    check: async ({ bucket, name }) => void (await readUploadPermit(text, `${bucket.id}/${name}`, deps.keys.urlSecret)),
  };
}
