import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { FILE_BODY } from '#http/slow-clients.ts';
import { getClientAddress, toNetwork } from '#http/network.ts';
import { findAnyBucket } from '../bucket.ts';
import { buildContext, getNetwork, getOwner, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { parseInput } from '../errors.ts';
import { checkKey } from '../names.ts';
import { storageRoute, type StorageRoute } from '../route.ts';
import { openSigner, readUploadPermit } from '../signed-urls.ts';
import { readBody } from '../upload/body.ts';
import { tryWrite } from '../upload/object-row.ts';
import { receive } from '../upload/receive.ts';

type Request = FastifyRequest<{ Params: { bucket: string; '*': string } }>;
type Answer = { Key: string; Id: string };

async function upload(deps: StorageDeps, request: Request): Promise<Answer> {
  const replaces = request.method === 'PUT';
  const caller = await requireCaller(request, deps.keys);
  const name = checkKey(request.params['*']);
  const bucket = await findAnyBucket(deps.database, request.params.bucket);
  const context = buildContext(request, caller, `storage.object.${replaces ? 'upload_update' : 'upload'}`);
  const body = await readBody(request.raw);
  const upsert = replaces || request.headers['x-upsert'] === 'true';
  const destination = { bucket, name, owner: getOwner(caller), upsert, network: getNetwork(request, caller) };
  const object = await receive(deps, destination, body, (planned) => tryWrite(deps.database, context, planned));
  return { Key: `${bucket.id}/${name}`, Id: object.id };
}

const SignedQuery = z.object({ token: z.string() });

/** The token stands for the permission that was checked when the URL was signed. */
async function uploadSigned(deps: StorageDeps, request: Request): Promise<Answer> {
  const { token } = parseInput(SignedQuery, request.query, 'querystring');
  const name = checkKey(request.params['*']);
  const url = `${request.params.bucket}/${name}`;
  const { owner, upsert, signer } = await readUploadPermit(token, url, deps.keys.serverSecret);
  const bucket = await findAnyBucket(deps.database, request.params.bucket);
  const body = await readBody(request.raw);
  const network = toNetwork(getClientAddress(request));
  const context =
    signer === undefined ? undefined : await openSigner(deps, request, signer, 'storage.object.upload_signed');
  const object = await receive(deps, { bucket, name, owner, upsert, network }, body, async (planned) => {
    if (context !== undefined) await tryWrite(deps.database, context, planned);
  });
  return { Key: url, Id: object.id };
}

const READ_REST_MS = 5_000;

/**
 * Ignores the rest of a refused upload for a moment and then closes the connection: closing at once would reset it
 * before the client has read the answer.
 */
function readRestAfterAnswer({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('finish', () => {
    if (raw.complete || raw.destroyed) return;
    const timer = setTimeout(() => raw.complete || raw.destroy(), READ_REST_MS);
    raw.once('close', () => clearTimeout(timer));
    raw.once('error', () => undefined);
    raw.unpipe();
    raw.resume();
  });
}

const CONTENT = 'the file, or multipart/form-data';

/** POST creates, or replaces with `x-upsert: true`; PUT replaces. A signed URL takes PUT. */
export const UPLOAD_ROUTES: readonly StorageRoute[] = [
  declareUpload('POST', '/object/:bucket/*', upload),
  declareUpload('PUT', '/object/:bucket/*', upload),
  declareUpload('PUT', '/object/upload/sign/:bucket/*', uploadSigned, 'a signed URL'),
];

function declareUpload(method: 'POST' | 'PUT', url: string, handle: typeof upload, caller?: string): StorageRoute {
  const work = async (deps: StorageDeps, request: Request, reply: FastifyReply): Promise<Answer> => {
    readRestAfterAnswer(request, reply);
    return handle(deps, request);
  };
  return storageRoute({ method, url, content: CONTENT, options: FILE_BODY }, work, caller);
}
