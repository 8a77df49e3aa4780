import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findAnyBucket } from '../bucket.ts';
import { buildContext, findCaller, requireCaller, type Operation } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { getValidators } from '../download/headers.ts';
import { serveObject } from '../download/serve.ts';
import { parseInput, StorageError } from '../errors.ts';
import { findAnyObject, findObject, type StoredObject } from '../object.ts';
import { storageRoute, type StorageRoute } from '../route.ts';
import { openSigner, readDownloadPermit } from '../signed-urls.ts';

type Params = { bucket: string; '*': string };
type Request = FastifyRequest<{ Params: Params }>;
type Handler = (deps: StorageDeps, request: Request, reply: FastifyReply) => Promise<unknown>;

function requireCredential(handle: Handler): Handler {
  return async (deps, request, reply) => {
    await requireCaller(request, deps.keys);
    return handle(deps, request, reply);
  };
}

type Find = () => Promise<StoredObject>;

/** Objects of a public bucket are open to everyone; row-level security decides about others. */
async function findReadable(
  { database, keys }: StorageDeps,
  request: Request,
  operation: Operation,
): Promise<{ find: Find; shared: boolean }> {
  const { bucket: id, '*': name } = request.params;
  const caller = await findCaller(request, keys);
  const bucket = await findAnyBucket(database, id);
  if (bucket.public) return { find: () => findAnyObject(database, id, name), shared: true };
  if (caller === undefined) throw new StorageError('NoSuchBucket');
  const context = buildContext(request, caller, operation);
  return { find: () => findObject(database, context, id, name), shared: false };
}

/** Throws NoSuchBucket for a private bucket. */
async function findPublic({ database }: StorageDeps, { params: { bucket, '*': name } }: Request): Promise<Find> {
  if (!(await findAnyBucket(database, bucket)).public) throw new StorageError('NoSuchBucket');
  return () => findAnyObject(database, bucket, name);
}

/** A repeated parameter counts once. */
const Query = z.object({
  download: z.union([z.string(), z.array(z.string()).transform((all) => all[0])]).optional(),
});
const SignedQuery = Query.extend({ token: z.string() });

async function download(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { download: saveAs } = parseInput(Query, request.query, 'querystring');
  const { find, shared } = await findReadable(deps, request, 'storage.object.get_authenticated');
  return serveObject(deps, request, reply, find, { download: saveAs, shared });
}

async function downloadPublic(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { download: saveAs } = parseInput(Query, request.query, 'querystring');
  const find = await findPublic(deps, request);
  return serveObject(deps, request, reply, find, { download: saveAs, shared: true });
}

async function downloadSigned(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<FastifyReply> {
  const { database, keys } = deps;
  const { bucket, '*': name } = request.params;
  const query = parseInput(SignedQuery, request.query, 'querystring');
  const { expires, signer } = await readDownloadPermit(query.token, `${bucket}/${name}`, keys.serverSecret);
  const context =
    signer === undefined ? undefined : await openSigner(deps, request, signer, 'storage.object.get_authenticated');
  const find = () =>
    context === undefined ? findAnyObject(database, bucket, name) : findObject(database, context, bucket, name);
  return serveObject(deps, request, reply, find, { download: query.download, expires });
}

async function showInfo(deps: StorageDeps, request: Request, reply: FastifyReply) {
  const { find } = await findReadable(deps, request, 'storage.object.info_authenticated');
  return presentInfo(reply, await find());
}

async function showPublicInfo(deps: StorageDeps, request: Request, reply: FastifyReply) {
  const find = await findPublic(deps, request);
  return presentInfo(reply, await find());
}

function presentInfo(reply: FastifyReply, object: StoredObject): Record<string, unknown> {
  const { metadata } = object;
  const { eTag, lastModified } = getValidators(object);
  void reply.headers({ etag: eTag, 'last-modified': lastModified.toUTCString(), 'cache-control': 'no-cache' });
  return {
    id: object.id,
    name: object.name,
    version: object.version,
    bucket_id: object.bucket_id,
    size: metadata?.size ?? null,
    content_type: metadata?.mimetype ?? null,
    cache_control: metadata?.cacheControl ?? null,
    etag: metadata?.eTag ?? null,
    metadata: object.user_metadata,
    last_modified: object.updated_at,
    created_at: object.created_at,
  };
}

const KEY = 'key or token; policies decide';
const OWN_OR_PUBLIC = `${KEY}, or a public bucket`;
const PUBLIC = 'anyone; public buckets';

/** Objects (GET and HEAD) and, below /object/info, their descriptions. */
export const DOWNLOAD_ROUTES: readonly StorageRoute[] = [
  serve('/object/:bucket/*', download, OWN_OR_PUBLIC),
  serve('/object/authenticated/:bucket/*', requireCredential(download), KEY),
  serve('/object/public/:bucket/*', downloadPublic, PUBLIC),
  serve('/object/sign/:bucket/*', downloadSigned, 'a signed URL'),
  storageRoute({ method: 'GET', url: '/object/info/:bucket/*' }, showInfo, OWN_OR_PUBLIC),
  storageRoute({ method: 'GET', url: '/object/info/authenticated/:bucket/*' }, requireCredential(showInfo)),
  storageRoute({ method: 'GET', url: '/object/info/public/:bucket/*' }, showPublicInfo, PUBLIC),
];

function serve(url: string, handle: Handler, caller: string): StorageRoute {
  return storageRoute({ method: ['GET', 'HEAD'], url, options: { exposeHeadRoute: false } }, handle, caller);
}
