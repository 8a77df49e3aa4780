import type { FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { FILE_BODY } from '#http/slow-clients.ts';
import type { StorageDeps } from '../deps.ts';
import { storageRoute, type StorageRoute } from '../route.ts';
import { findFinishedSize } from './finish.ts';
import { createPermit, createSignedPermit } from './plan.ts';
import { createTusServer, decodeAddress } from './tus-server.ts';

const METHODS: HTTPMethods[] = ['POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'GET'];
const PATH = '/upload/resumable';

type Request = FastifyRequest<{ Params: { address?: string } }>;

/** /upload/resumable: uploads that continue after an interruption (tus 1.0.0, supabase-contract §3.3). */
export const RESUMABLE_ROUTES: readonly StorageRoute[] = [
  declareUpload(PATH, '', createPermit),
  declareUpload(PATH, '/:address', createPermit),
  declareUpload(`${PATH}/sign`, '', createSignedPermit, 'a signed URL'),
  declareUpload(`${PATH}/sign`, '/:address', createSignedPermit, 'a signed URL'),
];

function declareUpload(prefix: string, path: string, readPermit: typeof createPermit, caller?: string): StorageRoute {
  const handle = async (deps: StorageDeps, request: Request, reply: FastifyReply): Promise<void> => {
    const permit = request.method === 'OPTIONS' ? undefined : await readPermit(request, deps);
    if (await answerFinished(deps, request, reply)) return;
    reply.hijack();
    const address = `${deps.publicUrl(request)}/storage/v1${prefix}`;
    await getTusServer(deps)(request.raw, reply.raw, { permit, address });
  };
  const spec = { method: METHODS, url: `${prefix}${path}`, content: 'pieces of the file', options: FILE_BODY };
  return storageRoute(spec, handle, caller);
}

const servers = new WeakMap<StorageDeps, ReturnType<typeof createTusServer>>();

/** All routes of a service share one server, because it knows the uploads in progress. */
function getTusServer(deps: StorageDeps): ReturnType<typeof createTusServer> {
  const server = servers.get(deps) ?? createTusServer(deps);
  servers.set(deps, server);
  return server;
}

/** Tells a client that lost the answer to its last bytes that all of them arrived. */
async function answerFinished(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<boolean> {
  const version = decodeAddress(request.params.address ?? '');
  if (request.method !== 'HEAD' || version === undefined) return false;
  const size = await findFinishedSize(deps, version);
  if (size === undefined) return false;
  void reply.headers({ 'tus-resumable': '1.0.0', 'upload-offset': size, 'cache-control': 'no-store' });
  await reply.code(200).header('upload-length', size).send();
  return true;
}
