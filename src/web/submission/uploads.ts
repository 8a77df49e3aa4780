import { plainFileName } from '#contract/media-uploads.ts';
import type { BackendClient } from '#web/backend/client.ts';
import { BackendError, isKind } from '#web/backend/errors.ts';
import { ensureBucket, type NewMedia, registerMedia, type StoredFile } from '#web/backend/media.ts';
import { type ObjectUpload, RESUMABLE_FROM_BYTES, uploadObject, uploadResumable } from '#web/backend/upload.ts';
import { sleep, type Sleep, withRetries } from './retries.ts';

/** A file under the name it has in the bucket; keeping the name makes a second try overwrite instead of double. */
type PendingFile = Readonly<{ blob: Blob; path: string }> & Pick<NewMedia, 'spoken' | 'imageRights'>;

type UploadResult = Readonly<{
  stored: readonly StoredFile[];
  failed: readonly Readonly<{ file: PendingFile; error: BackendError }>[];
}>;

/** How one file is getting on; `fraction` 0–1 of its bytes. */
export type FileEvent =
  | Readonly<{ type: 'progress'; fraction: number }>
  | Readonly<{ type: 'stored'; stored: StoredFile }>
  | Readonly<{ type: 'failed'; error: BackendError }>;

type UploadOptions = Readonly<{ signal?: AbortSignal; wait?: Sleep }> &
  Readonly<{
    interviewId: number;
    /** 0–1 over the bytes of all files. */
    onProgress?: (fraction: number) => void;
    onFile?: (file: PendingFile, event: FileEvent) => void;
  }>;

/** One file after the other; a file that fails does not stop the others. Never throws. */
export async function uploadFiles(
  backend: BackendClient,
  files: readonly PendingFile[],
  options: UploadOptions,
): Promise<UploadResult> {
  const stored: StoredFile[] = [];
  const failed: { file: PendingFile; error: BackendError }[] = [];
  const total = files.reduce((sum, file) => sum + file.blob.size, 0);
  let before = 0;
  for (const file of files) {
    const report = (part: number) => options.onProgress?.(total === 0 ? 1 : (before + part * file.blob.size) / total);
    const onProgress = (fraction: number) => {
      options.onFile?.(file, { type: 'progress', fraction });
      report(fraction);
    };
    try {
      onProgress(0);
      const done = await uploadFile(backend, file, { ...options, onProgress });
      stored.push(done);
      options.onFile?.(file, { type: 'stored', stored: done });
    } catch (thrown) {
      const error = asBackendError(thrown);
      failed.push({ file, error });
      options.onFile?.(file, { type: 'failed', error });
    }
    before += file.blob.size;
    report(0);
  }
  return { stored, failed };
}

/** Paths whose bytes have arrived while their row has not: another try registers them without sending them again. */
const arrived = new Map<string, string>();

/** Stores one file and registers it once. Throws BackendError. */
export async function uploadFile(
  backend: BackendClient,
  { blob, path, spoken, imageRights }: PendingFile,
  { interviewId, onProgress, signal, wait = sleep }: UploadOptions,
): Promise<StoredFile> {
  const upload = { blob, path, signal, onProgress };
  // A text that was corrected meanwhile has the name of the first one.
  const isText = getMimeType(blob) === 'text/plain';
  const storedAs = (isText ? undefined : arrived.get(path)) ?? (await send(backend, upload, wait));
  arrived.set(path, storedAs);
  const file = { path: storedAs, type: getMimeType(blob) };
  const name = blob instanceof File ? plainFileName(blob.name) : undefined;
  await register(backend, interviewId, { ...file, spoken, imageRights, name }, wait);
  arrived.delete(path);
  return file;
}

/** §4: a missing bucket is made; 'no-bucket' where that fails. Returns the path in the bucket. */
async function send(backend: BackendClient, upload: ObjectUpload, wait: Sleep): Promise<string> {
  try {
    return await sendOnce(backend, upload, wait);
  } catch (error) {
    if (!isKind(error, 'missing')) throw error;
  }
  await ensureBucket(backend).catch((error: unknown) => {
    throw isKind(error, 'unreachable') ? error : new BackendError('no-bucket', 'the bucket could not be made');
  });
  return sendOnce(backend, upload, wait);
}

/** From 6 MB on resumable; a backend without that endpoint gets the file in one piece. */
async function sendOnce(backend: BackendClient, upload: ObjectUpload, wait: Sleep): Promise<string> {
  if (upload.blob.size >= RESUMABLE_FROM_BYTES) {
    try {
      return await uploadResumable(backend, upload);
    } catch (error) {
      if (!isKind(error, 'missing')) throw error;
    }
  }
  await withRetries(() => uploadObject(backend, upload), wait);
  return upload.path;
}

/** §8: a missing table or column and a foreign-key violation are only logged. */
async function register(backend: BackendClient, interviewId: number, file: NewMedia, wait: Sleep): Promise<void> {
  try {
    await withRetries(() => registerMedia(backend, interviewId, file), wait);
  } catch (error) {
    if (!(error instanceof BackendError) || error.kind !== 'schema') throw error;
    console.error('media_uploads: not registered', error.code);
  }
}

function getMimeType(blob: Blob): string {
  return blob.type.split(';')[0] || 'application/octet-stream';
}

function asBackendError(error: unknown): BackendError {
  if (error instanceof BackendError) return error;
  return new BackendError('failed', error instanceof Error ? error.message : 'unknown');
}
