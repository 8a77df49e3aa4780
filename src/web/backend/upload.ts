import type { DetailedError, PreviousUpload, Upload, UploadOptions } from 'tus-js-client';
import * as z from 'zod/mini';
import { STORAGE_CACHE_CONTROL_S } from '#contract/limits.ts';
import { type BackendClient, BUCKET } from './client.ts';
import { getAccessToken } from './connect.ts';
import { BackendError, toBackendError } from './errors.ts';
import { laterPart } from './later-part.ts';
import { parseJson } from './parse-json.ts';
import { expectReadable, sendForm, STALL_TIMEOUT_MS, watchForStall, rememberUploads } from './send-form.ts';

export type ObjectUpload = Readonly<{
  blob: Blob;
  /** `{interviewId}/{file}` */
  path: string;
  /** 0–1 of the body, which is the file and a few hundred bytes around it. */
  onProgress?: ((fraction: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}>;

/**
 * What supabase-js' `upload(path, blob, {upsert: true, cacheControl: '3600'})` sends, but through XMLHttpRequest,
 * because fetch cannot report how much has been sent (D18). `x-upsert` makes it repeatable after a lost answer.
 * @throws BackendError
 */
export async function uploadObject(backend: BackendClient, upload: ObjectUpload): Promise<void> {
  const { blob, onProgress, signal } = upload;
  await expectReadable(blob);
  const form = new FormData();
  form.append('cacheControl', String(STORAGE_CACHE_CONTROL_S));
  form.append('', blob);
  const path = upload.path.split('/').map(encodeURIComponent).join('/');
  const outcome = await sendForm({
    url: `${backend.config.supabaseUrl}/storage/v1/object/${BUCKET}/${path}`,
    form,
    headers: await uploadHeaders(backend),
    timeoutMs: STALL_TIMEOUT_MS,
    signal,
    onProgress: (progress) => progress.phase === 'uploading' && onProgress?.(progress.fraction),
  });
  if (outcome.kind === 'aborted') throw aborted();
  if (outcome.kind !== 'answer') throw new BackendError('unreachable', outcome.kind);
  const { status, body } = outcome.answer;
  expectAnswer(parseJson(body) !== undefined, status);
  if (status >= 300) throw storageRefusal(status, body);
}

/**
 * What every upload carries besides its body: who sends it, for which contribution (D9), and that it may be repeated.
 * Throws BackendError if there is no token at the moment.
 */
async function uploadHeaders({ config, supabase, interviewKey, guest = false }: BackendClient) {
  const headers: Record<string, string> = {
    authorization: `Bearer ${await getAccessToken({ config, auth: supabase.auth, guest })}`,
    apikey: config.supabaseKey,
    'x-upsert': 'true',
  };
  if (interviewKey !== undefined) headers['x-interview-key'] = interviewKey;
  return headers;
}

const Text = z.optional(z.string());
const ErrorBody = z.object({ message: Text, code: Text, statusCode: Text });

/**
 * An answer of the storage that is no success. Plain uploads put the real status into a JSON body (supabase-contract
 * §3.1), resumable ones answer with the real status and plain text (contract §3.3).
 */
export function storageRefusal(status: number, body: string): BackendError {
  const parsed = ErrorBody.safeParse(parseJson(body));
  const { message = body, code, statusCode } = parsed.success ? parsed.data : {};
  const real = Number.parseInt(statusCode ?? '', 10);
  return toBackendError({ message, code }, Number.isNaN(real) ? status : real);
}

/**
 * Files of this size and more are sent in parts of this size; the hosted backend takes no other (supabase-contract
 * §3.3).
 */
export const RESUMABLE_FROM_BYTES = 6 * 1024 * 1024;

/** Fetched ahead by the screens with files. */
export const loadTus = laterPart('resumable', () => import('tus-js-client'));

/** §9's attempts 1 s apart, then long enough for a server to start again; each part that arrives starts them again. */
const RETRY_DELAYS_MS = [1_000, 1_000, 3_000, 5_000, 10_000];

/**
 * tus 1.0 to `/storage/v1/upload/resumable`. Continues where it stopped, also after a reload when the same file is
 * chosen again for the same contribution.
 * @returns the path the file has in the bucket: of a continued upload the one it began with
 * @throws BackendError; 'missing' where the backend has no such endpoint, bucket or upload
 */
export async function uploadResumable(backend: BackendClient, upload: ObjectUpload): Promise<string> {
  const {
    Upload,
    DetailedError: Answered,
    defaultOptions,
  } = await loadTus().catch(() => {
    throw new BackendError('unreachable', 'the upload client could not be loaded');
  });
  await expectReadable(upload.blob);
  const run = new Upload(upload.blob, {
    ...optionsFor(backend, upload),
    urlStorage: rememberUploads(defaultOptions.urlStorage),
  });
  const path = await continueFrom(run, upload.path);
  await finished(run, upload, (error) => {
    if (!(error instanceof Answered)) return new BackendError('failed', error.message);
    return storageRefusal(getStatus(error), error.originalResponse?.getBody() ?? '');
  });
  return path;
}

function optionsFor(backend: BackendClient, { blob, path }: ObjectUpload): UploadOptions {
  const endpoint = `${backend.config.supabaseUrl}/storage/v1/upload/resumable`;
  return {
    endpoint,
    chunkSize: RESUMABLE_FROM_BYTES,
    retryDelays: RETRY_DELAYS_MS,
    removeFingerprintOnSuccess: true,
    fingerprint: () => Promise.resolve(getFingerprint(blob, path, endpoint)),
    metadata: {
      bucketName: BUCKET,
      objectName: path,
      contentType: blob.type || 'application/octet-stream',
      cacheControl: String(STORAGE_CACHE_CONTROL_S),
    },
    // With every request: a long upload outlives an access token.
    onBeforeRequest: async (request) => {
      for (const [name, value] of Object.entries(await uploadHeaders(backend))) request.setHeader(name, value);
    },
  };
}

/** A chosen file by what it is, because it is given another path when it is chosen again; anything else by its path. */
function getFingerprint(blob: Blob, path: string, endpoint: string): string {
  if (!(blob instanceof File)) return JSON.stringify([endpoint, path, blob.size]);
  return JSON.stringify([endpoint, path.split('/')[0], blob.name, blob.type, blob.size, blob.lastModified]);
}

async function continueFrom(run: Upload, path: string): Promise<string> {
  const getTime = (upload: PreviousUpload): number => Date.parse(upload.creationTime) || 0;
  const [last] = (await run.findPreviousUploads()).toSorted((a, b) => getTime(b) - getTime(a));
  const begun = last?.metadata['objectName'];
  if (last === undefined || begun === undefined) return path;
  run.options.metadata = { ...run.options.metadata, objectName: begun };
  run.resumeFromPreviousUpload(last);
  return begun;
}

function finished(run: Upload, upload: ObjectUpload, toFailure: (error: Error) => BackendError) {
  const { blob, onProgress, signal } = upload;
  return new Promise<void>((resolve, reject) => {
    const end = (complete: () => void) => {
      watch.stop();
      signal?.removeEventListener('abort', abort);
      complete();
    };
    const giveUp = (error: BackendError) => {
      void run.abort();
      end(() => reject(error));
    };
    const abort = () => giveUp(aborted());
    // tus has no time limit for a request.
    const watch = watchForStall(STALL_TIMEOUT_MS, () => giveUp(new BackendError('unreachable', 'timeout')));
    run.options.onAfterResponse = (_request, answer) => {
      watch.moved();
      expectAnswer(answer.getHeader('content-type')?.includes('html') !== true, answer.getStatus());
    };
    run.options.onProgress = (sent, total) => {
      watch.moved();
      onProgress?.(total === 0 ? 0 : sent / total);
    };
    run.options.onSuccess = () => end(resolve);
    run.options.onShouldRetry = (failure) => {
      // No attempt helps where the file has become unreadable.
      expectReadable(blob).catch(giveUp);
      return isRetryable(getStatus(failure));
    };
    run.options.onError = (failure) =>
      void expectReadable(blob).then(() => end(() => reject(toFailure(failure))), giveUp);
    if (signal?.aborted === true) return reject(aborted());
    signal?.addEventListener('abort', abort, { once: true });
    watch.moved();
    run.start();
  });
}

const getStatus = ({ originalResponse }: DetailedError): number => originalResponse?.getStatus() ?? 0;

/** No answer, a server error, or an upload that another request still holds (409, 423). */
const isRetryable = (status: number): boolean => status === 0 || status >= 500 || status === 409 || status === 423;

/** The page of a proxy or captive portal is no answer, except about a size: no larger file gets past it. */
function expectAnswer(isOfStorage: boolean, status: number): void {
  if (!isOfStorage && status !== 413) throw new BackendError('unreachable', 'no answer of the storage');
}

const aborted = (): BackendError => new BackendError('aborted', 'upload aborted');
