import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FILE_BODY } from '#http/body-limits.ts';
import type { StorageDeps } from '../deps.ts';
import { finishedBytes } from './finish.ts';
import type { Partials } from './partials.ts';
import { permitOf, signedPermitOf, type Permit } from './permit.ts';
import { createTusServer } from './tus-server.ts';
import { versionOf } from './address.ts';

const METHODS = ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'GET'] as const;
const PATH = '/upload/resumable';

type Request = FastifyRequest<{ Params: { address?: string } }>;

/** /upload/resumable: uploads that go on after an interruption (tus 1.0.0, supabase-contract §3.3). */
export function mountResumable(app: FastifyInstance, deps: StorageDeps, partials: Partials): void {
  const tus = createTusServer(deps, partials);
  const serve =
    (permit: (request: FastifyRequest) => Promise<Permit>, prefix: string) =>
    async (request: Request, reply: FastifyReply): Promise<void> => {
      const allowed = request.method === 'OPTIONS' ? undefined : await permit(request);
      if (await answerFinished(deps, request, reply)) return;
      reply.hijack();
      const address = `${deps.publicUrl(request)}/storage/v1${prefix}`;
      await tus(request.raw, reply.raw, { permit: allowed, address });
    };
  const routes = [
    [PATH, serve((request) => permitOf(request, deps), PATH)],
    [`${PATH}/sign`, serve((request) => signedPermitOf(request, deps), `${PATH}/sign`)],
  ] as const;
  for (const [url, handler] of routes) {
    for (const route of [url, `${url}/:address`])
      app.route({ ...FILE_BODY, method: [...METHODS], url: route, handler });
  }
}

/**
 * A client that did not hear the answer to its last bytes asks how far it got: all the way. One that sends them again
 * is told to ask: at 409 clients do, at 404 they give up.
 */
async function answerFinished(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<boolean> {
  const version = versionOf(request.params.address ?? '');
  if (!['HEAD', 'PATCH'].includes(request.method) || version === undefined) return false;
  const bytes = await finishedBytes(deps, version);
  if (bytes === undefined) return false;
  void reply.headers({ 'tus-resumable': '1.0.0', 'upload-offset': bytes, 'cache-control': 'no-store' });
  if (request.method === 'HEAD') await reply.code(200).header('upload-length', bytes).send();
  else await reply.code(409).header('connection', 'close').type('text/plain').send('Upload-Offset conflict\n');
  return true;
}
