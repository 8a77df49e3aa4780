import { pipeline, type Readable, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { type ByteRange, MissingFileError, type ObjectStore, storeKey } from '../stores/object-store.ts';
import type { StoredObject } from '../object.ts';
import { isUnchanged, parseRange, rangeApplies } from './conditions.ts';
import { buildObjectHeaders, getValidators, type Presentation } from './headers.ts';

/**
 * Answers with the whole object, a range (206) or no body where the client has the version (304). Calls `find` again
 * where the object is replaced between reading its row and its bytes.
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
  void reply.headers(buildObjectHeaders(object, presentation));
  if (isUnchanged(request.headers, getValidators(object))) return reply.code(304).send();
  const range = parseRangeHeader(request, reply, object, size);
  const length = range === undefined ? size : range.end - range.start + 1;
  void reply.header('content-length', length);
  if (range !== undefined) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  if (request.method === 'HEAD') return reply.send();
  try {
    return await reply.send(await openContent(deps.store, storeKey(object.version ?? ''), range, size));
  } catch (error) {
    const replaced = error instanceof MissingFileError && (await find()).version !== object.version;
    clearHeaders(reply);
    if (replaced) return serveObject(deps, request, reply, find, presentation);
    throw error;
  }
}

function parseRangeHeader(
  request: FastifyRequest,
  reply: FastifyReply,
  object: StoredObject,
  size: number,
): ByteRange | undefined {
  if (!rangeApplies(request.headers, getValidators(object))) return undefined;
  try {
    return parseRange(request.headers.range, size);
  } catch (error) {
    clearHeaders(reply);
    if (error instanceof StorageError) void reply.header('content-range', `bytes */${size}`);
    throw error;
  }
}

// prettier-ignore
const OBJECT_HEADERS = [
  'content-type', 'etag', 'last-modified', 'cache-control', 'expires', 'content-length', 'content-range',
  'content-disposition',
];

/** The answer to an error must not describe the object. */
function clearHeaders(reply: FastifyReply): void {
  void reply.code(200);
  for (const name of OBJECT_HEADERS) reply.removeHeader(name);
}

async function openContent(
  store: ObjectStore,
  key: string,
  range: ByteRange | undefined,
  size: number,
): Promise<Readable> {
  const { start, end } = range ?? { start: 0, end: size - 1 };
  return store.getForPipe === undefined
    ? requireLength(await store.get(key, range), end + 1 - start)
    : store.getForPipe(key, { start, end });
}

/** Fails where a damaged file ends early: otherwise the client would wait for the rest until its time-out. */
function requireLength(content: Readable, size: number): Readable {
  let missing = size;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      missing -= chunk.length;
      done(null, chunk);
    },
    flush(done) {
      done(missing > 0 ? new Error('The store has only a part of the file') : null);
    },
  });
  return pipeline(content, counting, () => undefined);
}
