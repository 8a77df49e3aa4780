import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { FileReader } from '#backend/maintenance.ts';
import { whole } from '../bytes.ts';
import { MoveFault } from './faults.ts';
import { nameOf, type SourceFile } from './file-plan.ts';
import { persistently } from './persistently.ts';
import { openFile, type Reading } from './source-bytes.ts';
import { storageFault } from './storage-fault.ts';
import type { Target } from './target.ts';

/** Files of this size and more go in parts of this size; the hosted project takes no other (supabase-contract §3.3). */
const PART_BYTES = 6 * 1024 * 1024;
const RETRY_DELAYS_MS = [500, 1_500, 3_000];

export type Upstream = Readonly<{
  target: Target;
  reader: FileReader;
  /** Where a large upload goes on after an interruption. */
  address: string | undefined;
  noteAddress: (url: string) => Promise<void>;
  signal: AbortSignal;
}>;

/** Puts one file there, over what lies there. At most one part of it is in memory. Throws MoveFault. */
export async function uploadFile(upstream: Upstream, file: SourceFile, opened: Reading): Promise<void> {
  if (opened.bytes < PART_BYTES) return uploadWhole(upstream.target, file, await whole(opened.content));
  opened.leave();
  await uploadInParts(upstream, file, opened.bytes);
}

async function uploadWhole(target: Target, file: SourceFile, content: Buffer): Promise<void> {
  const { type: contentType, cacheFor, metadata } = file;
  await persistently(target, async () => {
    // The client puts the name into an address as it is, and names may hold a question mark.
    const path = file.name.split('/').map(encodeURIComponent).join('/');
    const { error } = await target.supabase.storage.from(file.bucket).upload(path, content, {
      upsert: true,
      contentType,
      ...(cacheFor === undefined ? { headers: { 'cache-control': 'no-cache' } } : { cacheControl: cacheFor }),
      ...(metadata === undefined ? {} : { metadata }),
    });
    if (error !== null) throw storageFault(error, nameOf(file), content.length);
  });
}

async function uploadInParts(upstream: Upstream, file: SourceFile, size: number): Promise<void> {
  const { target, address, noteAddress, signal } = upstream;
  await new Promise<void>((resolve, reject) => {
    let noted = Promise.resolve();
    const options: UploadOptions = {
      endpoint: `${target.url}/storage/v1/upload/resumable`,
      uploadUrl: address ?? null,
      uploadSize: size,
      chunkSize: PART_BYTES,
      retryDelays: RETRY_DELAYS_MS,
      storeFingerprintForResuming: false,
      headers: { authorization: `Bearer ${target.serviceKey}`, apikey: target.serviceKey, 'x-upsert': 'true' },
      metadata: announced(file),
      fileReader: { openFile: async () => partsOf(upstream.reader, file, size) },
      onUploadUrlAvailable: () => {
        if (run.url !== null && run.url !== address) noted = noteAddress(run.url);
      },
      onSuccess: () => void noted.then(resolve, reject),
      onError: (error) => reject(refusal(error, file, size)),
    };
    const run = new Upload(Buffer.alloc(0), options);
    signal.addEventListener('abort', () => void run.abort().finally(() => reject(new MoveFault('stopped'))), {
      once: true,
    });
    run.start();
  });
}

function announced({ bucket, name, type, cacheFor, metadata }: SourceFile): Record<string, string> {
  return {
    bucketName: bucket,
    objectName: name,
    contentType: type,
    ...(cacheFor === undefined ? {} : { cacheControl: cacheFor }),
    ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
  };
}

type Parts = Awaited<ReturnType<NonNullable<UploadOptions['fileReader']>['openFile']>>;

/** Any part of the file when it is asked for: an upload may go on in the middle. */
function partsOf(reader: FileReader, file: SourceFile, size: number): Parts {
  return {
    size,
    slice: async (start, end) => {
      const opened = await openFile(reader, file, start);
      if (opened === undefined) throw new MoveFault('file_differs', nameOf(file));
      const value = await upTo(opened.content, Math.min(end, size) - start);
      // Read by tus-js-client for the length it announces.
      return { value: Object.assign(value, { size: value.length }), done: start + value.length >= size };
    },
    close: () => undefined,
  };
}

async function upTo(content: AsyncIterable<Buffer>, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = bytes;
  for await (const chunk of content) {
    chunks.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  return Buffer.concat(chunks);
}

function refusal(error: Error, file: SourceFile, size: number): unknown {
  if (!(error instanceof DetailedError)) return error;
  const status = error.originalResponse?.getStatus() ?? 0;
  return storageFault({ message: error.originalResponse?.getBody() ?? '', status }, nameOf(file), size);
}
