import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findAnyBucket } from '../buckets/bucket.ts';
import { callerIfAny, contextOf, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { serveObject } from '../download/serve.ts';
import { StorageError } from '../errors.ts';
import { parse } from '../parse.ts';
import { readDownloadPermit } from '../signed-tokens.ts';
import { signerContext } from '../signer.ts';
import { findAnyObject, findObject } from './object.ts';

type Request = FastifyRequest<{ Params: { bucket: string; '*': string } }>;

const METHOD: ('GET' | 'HEAD')[] = ['GET', 'HEAD'];
const first = z.union([z.string(), z.array(z.string()).transform((all) => all[0])]).optional();
const Query = z.object({ download: first });
const SignedQuery = Query.extend({ token: z.string() });

/** GET and HEAD of /object/[authenticated/]{bucket}/{path}, /object/public/… and /object/sign/…?token= */
export function downloadObject(app: FastifyInstance, deps: StorageDeps): void {
  const route = (url: string, handler: (request: Request, reply: FastifyReply) => Promise<unknown>): void => {
    app.route({
      method: METHOD,
      url,
      exposeHeadRoute: false,
      handler: (request, reply) => handler(request as Request, reply),
    });
  };
  route('/object/:bucket/*', (request, reply) => download(deps, request, reply));
  route('/object/authenticated/:bucket/*', async (request, reply) => {
    await requireCaller(request, deps.keys);
    return download(deps, request, reply);
  });
  route('/object/public/:bucket/*', (request, reply) => downloadPublic(deps, request, reply));
  route('/object/sign/:bucket/*', (request, reply) => downloadSigned(deps, request, reply));
}

/** Objects of a public bucket for anyone, others as row-level security lets the caller see them. */
async function download(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { bucket: bucketId, '*': name } = request.params;
  const presentation = { download: parse(Query, request.query, 'querystring').download };
  const caller = await callerIfAny(request, deps.keys);
  const bucket = await findAnyBucket(deps.database, bucketId);
  if (bucket.public) {
    return serveObject(deps, request, reply, () => findAnyObject(deps.database, bucketId, name), {
      ...presentation,
      shared: true,
    });
  }
  if (caller === undefined) throw new StorageError('NoSuchBucket');
  const context = contextOf(request, caller, 'storage.object.get_authenticated');
  return serveObject(deps, request, reply, () => findObject(deps.database, context, bucketId, name), presentation);
}

async function downloadPublic(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { bucket: bucketId, '*': name } = request.params;
  const presentation = { download: parse(Query, request.query, 'querystring').download };
  const bucket = await findAnyBucket(deps.database, bucketId);
  if (!bucket.public) throw new StorageError('NoSuchBucket');
  const find = () => findAnyObject(deps.database, bucketId, name);
  return serveObject(deps, request, reply, find, { ...presentation, shared: true });
}

async function downloadSigned(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { bucket, '*': name } = request.params;
  const query = parse(SignedQuery, request.query, 'querystring');
  const { expires, signer } = await readDownloadPermit(query.token, `${bucket}/${name}`, deps.keys.urlSecret);
  const context =
    signer === undefined ? undefined : await signerContext(deps, request, signer, 'storage.object.get_authenticated');
  const find = () =>
    context === undefined
      ? findAnyObject(deps.database, bucket, name)
      : findObject(deps.database, context, bucket, name);
  return serveObject(deps, request, reply, find, { download: query.download, expires });
}
