import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { FILE_BODY } from '#http/body-limits.ts';
import type { StorageDeps } from '../deps.ts';
import { findFinishedSize } from './finish.ts';
import { createPermit, createSignedPermit } from './plan.ts';
import { createTusServer, decodeAddress } from './tus-server.ts';

const METHODS: HTTPMethods[] = ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'GET'];
const PATH = '/upload/resumable';

type Request = FastifyRequest<{ Params: { address?: string } }>;

/** /upload/resumable: uploads that continue after an interruption (tus 1.0.0, supabase-contract §3.3). */
export function resumableRoutes(app: FastifyInstance, deps: StorageDeps): void {
  const handleTus = createTusServer(deps);
  const mount = (prefix: string, readPermit: typeof createPermit): void => {
    const handler = async (request: Request, reply: FastifyReply): Promise<void> => {
      const permit = request.method === 'OPTIONS' ? undefined : await readPermit(request, deps);
      if (await answerFinished(deps, request, reply)) return;
      reply.hijack();
      const address = `${deps.publicUrl(request)}/storage/v1${prefix}`;
      await handleTus(request.raw, reply.raw, { permit, address });
    };
    for (const url of [prefix, `${prefix}/:address`]) app.route({ ...FILE_BODY, method: METHODS, url, handler });
  };
  mount(PATH, createPermit);
  mount(`${PATH}/sign`, createSignedPermit);
}

/**
 * Answers a client that lost the answer to its last bytes. HEAD learns that all bytes arrived; PATCH gets 409, at which
 * clients ask again, while they give up at 404.
 */
async function answerFinished(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<boolean> {
  const version = decodeAddress(request.params.address ?? '');
  if (!['HEAD', 'PATCH'].includes(request.method) || version === undefined) return false;
  const size = await findFinishedSize(deps, version);
  if (size === undefined) return false;
  void reply.headers({ 'tus-resumable': '1.0.0', 'upload-offset': size, 'cache-control': 'no-store' });
  if (request.method === 'HEAD') await reply.code(200).header('upload-length', size).send();
  else await reply.code(409).header('connection', 'close').type('text/plain').send('Upload-Offset conflict\n');
  return true;
}
