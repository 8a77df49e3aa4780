import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FILE_BODY } from '#http/body-limits.ts';
import { findAnyBucket } from '../buckets/bucket.ts';
import { contextOf, networkFor, ownerOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { checkKey } from '../names.ts';
import { readBody } from '../upload/body.ts';
import { lingerAfterAnswer } from '../upload/linger.ts';
import { tryWrite } from '../upload/permission.ts';
import { receive } from '../upload/receive.ts';

type Request = FastifyRequest<{ Params: { bucket: string; '*': string } }>;

/** POST and PUT /object/{bucket}/{path}: the latter overwrites, as does the former with `x-upsert: true`. */
export function uploadObject(app: FastifyInstance, deps: StorageDeps): void {
  app.post('/object/:bucket/*', FILE_BODY, (request: Request, reply) => {
    return upload(deps, request, reply, request.headers['x-upsert'] === 'true');
  });
  app.put('/object/:bucket/*', FILE_BODY, (request: Request, reply) => upload(deps, request, reply, true));
}

async function upload(
  deps: StorageDeps,
  request: Request,
  reply: FastifyReply,
  upsert: boolean,
): Promise<{ Key: string; Id: string }> {
  lingerAfterAnswer(request, reply);
  const caller = await requireCaller(request, deps.keys);
  const name = checkKey(request.params['*']);
  const bucket = await findAnyBucket(deps.database, request.params.bucket);
  const operation = request.method === 'PUT' ? 'storage.object.upload_update' : 'storage.object.upload';
  const context = contextOf(request, caller, operation);
  const body = await readBody(request.raw);
  const destination = { bucket, name, owner: ownerOf(caller), upsert, network: networkFor(request, caller) };
  const object = await receive(deps, destination, body, (planned) => tryWrite(deps.database, context, planned));
  return { Key: `${bucket.id}/${name}`, Id: object.id };
}
