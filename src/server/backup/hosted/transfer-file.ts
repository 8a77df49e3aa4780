import { createHash } from 'node:crypto';
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { FileReader, OpenFile } from '#backend/maintenance.ts';
import { readAll } from '../bytes.ts';
import { MoveError, retryWhileAway, toStorageError } from './errors.ts';
import { formatFileName, type FileName, type SourceFile } from './plan-files.ts';
import { openSourceFile } from './source.ts';
import type { Target } from './target.ts';

/** Larger files go in parts of this size, the only one a hosted project takes (supabase-contract §3.3). */
const PART_BYTES = 6 * 1024 * 1024;
const RETRY_DELAYS_MS = [500, 1_500, 3_000];

export type Upstream = Readonly<{
  target: Target;
  reader: FileReader;
  /** The upload's URL, to resume a large upload after an interruption. */
  address: string | undefined;
  noteAddress: (url: string) => Promise<void>;
  signal: AbortSignal;
}>;

/** Uploads one file and replaces an older one. Holds at most one part in memory. Throws MoveError. */
export async function uploadFile(upstream: Upstream, file: SourceFile, opened: OpenFile): Promise<void> {
  if (opened.bytes < PART_BYTES) return uploadWhole(upstream.target, file, await readAll(opened.content));
  opened.cancel();
  await uploadInParts(upstream, file, opened.bytes);
}

async function uploadWhole(target: Target, file: SourceFile, content: Buffer): Promise<void> {
  const { type: contentType, cacheFor, metadata } = file;
  await retryWhileAway(target, async () => {
    // The client does not encode the name, which may hold a question mark.
    const path = file.name.split('/').map(encodeURIComponent).join('/');
    const { error } = await target.supabase.storage.from(file.bucket).upload(path, content, {
      upsert: true,
      contentType,
      ...(cacheFor === undefined ? { headers: { 'cache-control': 'no-cache' } } : { cacheControl: cacheFor }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    if (error !== null) throw toStorageError(error, formatFileName(file), content.length);
  });
}

async function uploadInParts(upstream: Upstream, file: SourceFile, size: number): Promise<void> {
  const { target, address, noteAddress, signal } = upstream;
  await new Promise<void>((resolve, reject) => {
    if (signal.aborted) throw new MoveError('stopped');
    let noted = Promise.resolve();
    const end = (reason: unknown): void => void run.abort().finally(() => reject(reason));
    const options: UploadOptions = {
      endpoint: `${target.url}/storage/v1/upload/resumable`,
      uploadUrl: address ?? null,
      uploadSize: size,
      chunkSize: PART_BYTES,
      retryDelays: RETRY_DELAYS_MS,
      storeFingerprintForResuming: false,
      headers: { authorization: `Bearer ${target.serviceKey}`, apikey: target.serviceKey, 'x-upsert': 'true' },
      metadata: getMetadata(file),
      fileReader: { openFile: async () => createParts(upstream.reader, file, size) },
      onUploadUrlAvailable: () => {
        if (run.url === null || run.url === address) return;
        noted = noteAddress(run.url);
        // The upload goes on meanwhile and looks at it only at its end.
        noted.catch(end);
      },
      onSuccess: () => void noted.then(resolve, reject),
      onError: (error) => reject(toUploadError(error, file, size)),
    };
    const run = new Upload(Buffer.alloc(0), options);
    signal.addEventListener('abort', () => end(new MoveError('stopped')), { once: true });
    run.start();
  });
}

function getMetadata({ bucket, name, type, cacheFor, metadata }: SourceFile): Record<string, string> {
  return {
    bucketName: bucket,
    objectName: name,
    contentType: type,
    ...(cacheFor === undefined ? {} : { cacheControl: cacheFor }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  };
}

type Parts = Awaited<ReturnType<NonNullable<UploadOptions['fileReader']>['openFile']>>;

/** Reads any part of the file, because an upload may resume in the middle. */
function createParts(reader: FileReader, file: SourceFile, size: number): Parts {
  return {
    size,
    slice: async (start, end) => {
      const opened = await openSourceFile({ files: reader }, file, start);
      if (opened === undefined) throw new MoveError('file_differs', formatFileName(file));
      const value = await readBytes(opened.content, Math.min(end, size) - start);
      // tus-js-client announces `size` as the length of the part.
      return { value: Object.assign(value, { size: value.length }), done: start + value.length >= size };
    },
    close: () => undefined,
  };
}

async function readBytes(content: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = bytes;
  for await (const chunk of content) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  return Buffer.concat(chunks);
}

function toUploadError(error: Error, file: SourceFile, size: number): unknown {
  if (!(error instanceof DetailedError)) return error;
  const status = error.originalResponse?.getStatus() ?? 0;
  return toStorageError({ message: error.originalResponse?.getBody() ?? '', status }, formatFileName(file), size);
}

/** Downloads the file from the hosted project. Throws MoveError. */
function hashTargetFile(target: Target, file: FileName): Promise<string> {
  return retryWhileAway(target, async () => {
    const path = file.name.split('/').map(encodeURIComponent).join('/');
    // No cache in between may answer.
    const options = { cacheNonce: crypto.randomUUID() };
    const { data, error } = await target.supabase.storage.from(file.bucket).download(path, options).asStream();
    if (error !== null) throw toStorageError(error, formatFileName(file), 0);
    try {
      return await hashContent(data);
    } catch (cause) {
      throw new MoveError('api_away', '', { cause });
    }
  });
}

async function hashContent(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}

/** The SHA-256 of both sides, read at once; undefined where they differ. Throws MoveError. */
export async function hashCopies(target: Target, file: SourceFile, opened: OpenFile): Promise<string | undefined> {
  const [here, there] = await Promise.all([hashContent(opened.content), hashTargetFile(target, file)]);
  return here === there ? here : undefined;
}
