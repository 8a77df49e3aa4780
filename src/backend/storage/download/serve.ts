import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { MissingFileError, storeKey, type ByteRange } from '../object-store.ts';
import type { StoredObject } from '../objects/object.ts';
import { isUnchanged, rangeApplies } from './conditions.ts';
import { objectHeaders, validatorsOf, type Presentation } from './headers.ts';
import { parseRange } from './range.ts';
import { whole } from './whole.ts';

/**
 * Sends an object as GET or HEAD asks: whole, a part (206), or that it has not changed (304). `find` is called again
 * where the object was replaced between its row and its bytes.
 */
export async function serveObject(
  deps: Pick<StorageDeps, 'store'>,
  request: FastifyRequest,
  reply: FastifyReply,
  find: () => Promise<StoredObject>,
  presentation: Presentation,
): Promise<FastifyReply> {
  const object = await find();
  const size = object.metadata?.size ?? 0;
  void reply.headers(objectHeaders(object, presentation));
  if (isUnchanged(request.headers, validatorsOf(object))) return reply.code(304).send();
  const range = rangeOf(request, reply, object, size);
  const length = range === undefined ? size : range.end - range.start + 1;
  void reply.header('content-length', length);
  if (range !== undefined) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  if (request.method === 'HEAD') return reply.send();
  try {
    return await reply.send(whole(await open(deps, object, range), length));
  } catch (error) {
    const replaced = error instanceof MissingFileError && (await find()).version !== object.version;
    clear(reply);
    if (replaced) return serveObject(deps, request, reply, find, presentation);
    throw error;
  }
}

function rangeOf(
  request: FastifyRequest,
  reply: FastifyReply,
  object: StoredObject,
  size: number,
): ByteRange | undefined {
  if (!rangeApplies(request.headers, validatorsOf(object))) return undefined;
  try {
    return parseRange(request.headers.range, size);
  } catch (error) {
    clear(reply);
    if (error instanceof StorageError) void reply.header('content-range', `bytes */${size}`);
    throw error;
  }
}

async function open(deps: Pick<StorageDeps, 'store'>, object: StoredObject, range?: ByteRange): Promise<Readable> {
  return deps.store.get(storeKey(object.version ?? ''), range);
}

/** An error's answer must not carry what belongs to the object. */
function clear(reply: FastifyReply): void {
  void reply.code(200);
  for (const name of [
    'content-type',
    'etag',
    'last-modified',
    'cache-control',
    'expires',
    'content-length',
    'content-range',
    'content-disposition',
  ]) {
    reply.removeHeader(name);
  }
}
