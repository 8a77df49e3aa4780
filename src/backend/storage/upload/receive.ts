import { type Readable, Transform } from 'node:stream';
import { callbackify } from 'node:util';
import { getSizeLimit, type Bucket } from '../bucket.ts';
import { checkAllowedType, checkDetectedType, detectContradiction, SNIFFED_BYTES } from '../content-type.ts';
import { getTypeLimit, type StorageDeps } from '../deps.ts';
import { StorageError } from '../errors.ts';
import { isEmptyFolder } from '../names.ts';
import { storeKey } from '../stores/object-store.ts';
import type { StoredObject } from '../object.ts';
import { abandonVersion, beginVersion } from '../unclaimed-files.ts';
import type { UploadBody } from './body.ts';
import { buildMetadata, completeUpload, type FinishedUpload, type PlannedObject } from './object-row.ts';

type Destination = Readonly<
  { bucket: Bucket; name: string; owner: string | undefined; upsert: boolean } & Pick<FinishedUpload, 'network'>
>;

/**
 * Receives one upload, from the first byte to the row. Calls `mayWrite` before it reads the bytes, and leaves nothing
 * behind where it fails. Throws EntityTooLarge, InvalidMimeType, KeyAlreadyExists, Aborted, StoreFullError.
 */
export async function receive(
  deps: StorageDeps,
  destination: Destination,
  body: UploadBody,
  mayWrite: (planned: PlannedObject) => Promise<void>,
): Promise<StoredObject> {
  const { bucket, name, owner, upsert, network } = destination;
  const getLimit = (type: string | undefined) => getTypeLimit(deps.rules, bucket.id, type);
  const sizeLimit = isEmptyFolder(name) ? 0 : getSizeLimit(bucket, deps.config.storage.file_size_limit);
  const maxBytes = Math.min(sizeLimit, getLimit(body.type));
  const allowedTypes = isEmptyFolder(name) ? null : bucket.allowed_mime_types;
  checkAllowedType(body.type, allowedTypes);
  const row = { bucket: bucket.id, name, owner, upsert, userMetadata: body.userMetadata };
  await mayWrite({ ...row, metadata: { mimetype: body.type, contentLength: body.declaredBytes } });
  if ((body.declaredBytes ?? 0) > maxBytes) throw new StorageError('EntityTooLarge');
  await deps.store.requireSpace(body.declaredBytes ?? 0);

  const { version, registered } = beginVersion(deps);
  const filter = createUploadFilter({ maxBytes, getLimit, type: body.type, allowedTypes });
  try {
    pipeInto(body.content, filter.stream);
    const options = { ready: registered, ownsChunks: body.ownsChunks };
    const { size, md5 } = await deps.store.put(storeKey(version), filter.stream, body.type, options);
    const metadata = buildMetadata({ size, tag: md5 }, { ...body, detectedType: filter.getDetectedType() });
    // The row of such an upload is never without metadata of its own, as upstream's.
    const userMetadata = { ...body.userMetadata };
    return await completeUpload(deps, { ...row, userMetadata, version, metadata, network });
  } catch (error) {
    await registered.catch(() => undefined);
    await abandonVersion(deps, version);
    // The store wraps the error of the content, which is the cause.
    throw filter.stream.errored instanceof StorageError ? filter.stream.errored : error;
  }
}

type FilterRules = Readonly<{
  maxBytes: number;
  type: string;
  allowedTypes: readonly string[] | null;
  /** Maximum bytes of content of the detected type. */
  getLimit: (type: string | undefined) => number;
}>;

/** Passes bytes on within the rules. Fails with EntityTooLarge or InvalidMimeType. */
export function createUploadFilter(rules: FilterRules) {
  let total = 0;
  let { maxBytes } = rules;
  let head: Buffer | undefined = Buffer.alloc(0);
  let detected: string | undefined;
  const inspectHead = callbackify(async (): Promise<void> => {
    if (head === undefined) return;
    const seen = head;
    head = undefined;
    detected = await detectContradiction(seen, rules.type);
    checkDetectedType(detected, rules.allowedTypes);
    maxBytes = Math.min(maxBytes, rules.getLimit(detected));
    if (total > maxBytes) throw new StorageError('EntityTooLarge');
  });
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total > maxBytes) return done(new StorageError('EntityTooLarge'));
      if (head === undefined) return done(null, chunk);
      head = Buffer.concat([head, chunk.subarray(0, SNIFFED_BYTES - head.length)]);
      if (head.length < SNIFFED_BYTES) return done(null, chunk);
      inspectHead((error) => done(error, chunk));
    },
    flush(done) {
      inspectHead(done);
    },
  });
  // It may fail before the store reads it, and then the store finds the error.
  stream.on('error', () => undefined);
  /** At the end of the stream: the real type where it contradicts the declared one. */
  const getDetectedType = (): string | undefined => detected;
  return { stream, getDetectedType };
}

/**
 * Pipes without destroying `source`, whose socket still carries the answer. A source that ends early destroys the
 * target with Aborted.
 */
export function pipeInto(source: Readable, target: Transform): void {
  source.once('error', (error: Error) => target.destroy(toBreakError(error)));
  source.once('close', () => {
    if (!source.readableEnded) target.destroy(toBreakError(source.errored));
  });
  if (source.destroyed) target.destroy(toBreakError(source.errored));
  else source.pipe(target);
}

function toBreakError(error: Error | null): StorageError {
  if (error instanceof StorageError) return error;
  if (error === null) return new StorageError('Aborted');
  if ('code' in error && error.code === 'ECONNRESET') return new StorageError('Aborted', undefined, { cause: error });
  return new StorageError('InvalidRequest', 'Malformed body', { cause: error });
}
