import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '#http/caller.ts';
import { buildContext, getOwner, requireCaller } from '../caller.ts';
import type { StorageDeps } from '../deps.ts';
import { checkKey } from '../names.ts';
import { parseInput } from '../errors.ts';
import { findAnyBucket } from '../bucket.ts';
import { LARGE_BODY, storageRoute, type StorageRoute } from '../route.ts';
import { sealSigner, signPermit } from '../signed-urls.ts';
import { tryWrite } from '../upload/object-row.ts';
import { findObject } from '../object.ts';

type Request = FastifyRequest<{ Params: { bucket: string; '*': string } }>;

const CENTURY_S = 3_153_600_000;
const UPLOAD_PERMIT_S = 60;
const OneBody = z.object({ expiresIn: z.number().int().min(1).max(CENTURY_S) });
const ManyBody = OneBody.extend({ paths: z.array(z.string()).min(1).max(1_000) });

async function signOne(deps: StorageDeps, request: Request): Promise<{ signedURL: string }> {
  const { database, keys } = deps;
  const caller = await requireCaller(request, keys);
  const { expiresIn } = parseInput(OneBody, request.body, 'body');
  const { bucket, '*': name } = request.params;
  const object = await findObject(database, buildContext(request, caller, 'storage.object.sign'), bucket, name);
  const sign = await createSigner(deps, request, caller, expiresIn);
  return { signedURL: sign(`${bucket}/${object.name}`) };
}

const UNKNOWN = 'Either the object does not exist or you do not have access to it';

/** Other requests get their turn after that many, so that ten such requests at once do not keep them waiting. */
const SIGNED_AT_ONCE = 50;

async function signMany(deps: StorageDeps, request: Request, reply: FastifyReply): Promise<Readable> {
  const { database, keys } = deps;
  const caller = await requireCaller(request, keys);
  const { expiresIn, paths } = parseInput(ManyBody, request.body, 'body');
  const { bucket } = request.params;
  const context = { ...buildContext(request, caller, 'storage.object.sign_many'), readOnly: true };
  const sql = 'select name from storage.objects where bucket_id = $1 and name = any($2)';
  const names = [...new Set(paths)];
  const result = await database.asCaller(context, (tx) => tx.query<{ name: string }>(sql, [bucket, names]));
  const found = new Set(result.rows.map(({ name }) => name));
  const sign = await createSigner(deps, request, caller, expiresIn);
  void reply.type('application/json; charset=utf-8');
  return Readable.from(writeAnswer(paths, (path) => (found.has(path) ? sign(`${bucket}/${path}`) : null)));
}

/** The JSON that upstream answers, in pieces: `{ error, path, signedURL }` of each path. */
async function* writeAnswer(paths: readonly string[], sign: (path: string) => string | null) {
  const signed = new Map<string, string | null>();
  for (let from = 0; from < paths.length; from += SIGNED_AT_ONCE) {
    const piece = paths.slice(from, from + SIGNED_AT_ONCE).map((path) => {
      const signedURL = signed.has(path) ? (signed.get(path) ?? null) : sign(path);
      signed.set(path, signedURL);
      return { error: signedURL === null ? UNKNOWN : null, path, signedURL };
    });
    yield `${from === 0 ? '[' : ','}${JSON.stringify(piece).slice(1, -1)}`;
    await setImmediate();
  }
  yield ']';
}

/** Signs URLs that live as long as the caller wants, up to the limit of the rules. */
async function createSigner(
  deps: StorageDeps,
  request: Request,
  caller: Caller,
  seconds: number,
): Promise<(url: string) => string> {
  const signer = await sealSigner(deps, request, caller);
  const life = Math.min(seconds, deps.rules.signedUrlMaxSeconds);
  return (url) => {
    const token = signPermit({ url, scope: 'download', signer }, deps.keys.serverSecret, life);
    return `/object/sign/${url}?token=${token}`;
  };
}

/** Passes the caller's permission to upload on for a minute. */
async function signUpload(deps: StorageDeps, request: Request): Promise<{ url: string; token: string }> {
  const { database, keys } = deps;
  const caller = await requireCaller(request, keys);
  const name = checkKey(request.params['*']);
  const bucket = await findAnyBucket(database, request.params.bucket);
  const upsert = request.headers['x-upsert'] === 'true';
  const owner = getOwner(caller);
  const context = buildContext(request, caller, 'storage.object.sign_upload_url');
  await tryWrite(database, context, { bucket: bucket.id, name, owner, upsert, metadata: {}, userMetadata: undefined });
  const url = `${bucket.id}/${name}`;
  const signer = await sealSigner(deps, request, caller);
  const token = signPermit({ url, scope: 'upload', upsert, owner, signer }, keys.serverSecret, UPLOAD_PERMIT_S);
  return { url: `/object/upload/sign/${url}?token=${token}`, token };
}

export const SIGN_ROUTES: readonly StorageRoute[] = [
  storageRoute({ method: 'POST', url: '/object/sign/:bucket/*', body: OneBody }, signOne),
  storageRoute({ method: 'POST', url: '/object/sign/:bucket', body: ManyBody, options: LARGE_BODY }, signMany),
  storageRoute({ method: 'POST', url: '/object/upload/sign/:bucket/*' }, signUpload),
];
