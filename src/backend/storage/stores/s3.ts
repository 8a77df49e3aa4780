import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  NoSuchKey,
  S3Client,
} from '@aws-sdk/client-s3';
import { pipeline, Readable, Transform } from 'node:stream';
import {
  type ByteRange,
  createDigest,
  type FileReader,
  type FileWriter,
  buildS3Config,
  KeptFilesError,
  MissingFileError,
  type S3Location,
  type ObjectStore,
  type StoredFile,
  StoreUnavailableError,
} from './object-store.ts';
import { uploadParts } from './s3-upload.ts';

const REMOVE_AT_ONCE = 1_000;

type Place = Readonly<{ client: S3Client; bucket: string }>;

/**
 * Any S3-compatible store; the bucket must exist. A rule of the bucket should remove unfinished multipart uploads after
 * some days, since a killed server cannot abort its own.
 */
export function openS3Store(location: S3Location): ObjectStore {
  const place = openPlace(location);
  return {
    exclusive: false,
    requireSpace: async () => undefined,
    put: async (key, content, type, { ready } = {}) => {
      // An object is visible as soon as the store has all of it.
      await ready;
      return put(place, key, content, type);
    },
    get: (key, range) => get(place, key, range),
    copy: (from, to) => copy(place, from, to),
    remove: (keys) => remove(place, keys),
    ping: async () => void (await place.client.send(new HeadBucketCommand({ Bucket: place.bucket })).catch(refuse)),
    close: async () => place.client.destroy(),
  };
}

export function openS3Writer(location: S3Location): FileWriter {
  const place = openPlace(location);
  return {
    isEmpty: () => isEmpty(place),
    write: async (key, content, type) => {
      const { source, taken } = trackTaken(content);
      const body = Readable.from(source);
      const safe = send(place, { key, type }, body, body);
      await Promise.race([taken, safe]);
      return { safe };
    },
    finish: async () => undefined,
    remove: (keys) => remove(place, keys),
    close: async () => place.client.destroy(),
  };
}

export function openS3Reader(location: S3Location): FileReader {
  const place = openPlace(location);
  return {
    open: async (key, { start = 0 } = {}) => {
      const { content, bytes } = await getFrom(place, key, start === 0 ? undefined : `bytes=${start}-`);
      return { content, bytes: bytes ?? 0, cancel: () => void content.destroy() };
    },
    close: async () => place.client.destroy(),
  };
}

function openPlace(location: S3Location): Place {
  return { client: new S3Client(buildS3Config(location)), bucket: location.bucket };
}

async function put(place: Place, key: string, content: Readable, type: string): Promise<StoredFile> {
  const digest = createDigest();
  const digesting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      digest.update(chunk);
      done(null, chunk);
    },
  });
  const body = pipeline(content, digesting, () => undefined);
  await send(place, { key, type }, content, body);
  return digest.result();
}

type Target = Readonly<{ key: string; type: string }>;

/** `body` is the stream of `content` after its transforms. */
async function send(place: Place, { key, type }: Target, content: Readable, body: Readable): Promise<void> {
  try {
    await uploadParts({ client: place.client, Bucket: place.bucket, Key: key, ContentType: type }, body);
  } catch (error) {
    body.destroy();
    throw content.errored ?? toStoreError(error);
  }
}

async function get(place: Place, key: string, range?: ByteRange): Promise<Readable> {
  const { content } = await getFrom(place, key, range === undefined ? undefined : `bytes=${range.start}-${range.end}`);
  return content;
}

async function getFrom(place: Place, key: string, Range: string | undefined) {
  const command = new GetObjectCommand({ Bucket: place.bucket, Key: key, Range });
  const { Body, ContentLength } = await place.client.send(command).catch(refuse);
  if (Body instanceof Readable) return { content: Body, bytes: ContentLength };
  throw new MissingFileError();
}

async function copy({ client, bucket }: Place, from: string, to: string): Promise<void> {
  const command = new CopyObjectCommand({ Bucket: bucket, Key: to, CopySource: `${bucket}/${from}` });
  await client.send(command).catch(refuse);
}

async function isEmpty({ client, bucket }: Place): Promise<boolean> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket })).catch(refuse);
  return Contents.length === 0;
}

async function remove(place: Place, keys: readonly string[]): Promise<void> {
  const kept = new Map<string, string | undefined>();
  for (let first = 0; first < keys.length; first += REMOVE_AT_ONCE) {
    const Objects = keys.slice(first, first + REMOVE_AT_ONCE).map((Key) => ({ Key }));
    const command = new DeleteObjectsCommand({ Bucket: place.bucket, Delete: { Objects, Quiet: true } });
    const { Errors } = await place.client.send(command).catch(refuse);
    for (const { Key = '', Code } of Errors ?? []) if (Code !== 'NoSuchKey') kept.set(Key, Code);
  }
  if (kept.size > 0) throw new KeptFilesError(kept);
}

function refuse(error: unknown): never {
  throw toStoreError(error);
}

function toStoreError(error: unknown): Error {
  if (error instanceof MissingFileError) return error;
  if (error instanceof NoSuchKey) return new MissingFileError({ cause: error });
  return new StoreUnavailableError({ cause: error });
}

/** Copies the chunks, whose buffers the caller reuses; `taken` resolves when all are read. */
function trackTaken(content: AsyncIterable<Buffer>): { source: AsyncIterable<Buffer>; taken: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const source = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of content) yield Buffer.from(piece);
    resolve(undefined);
  };
  return { source: source(), taken: promise };
}
