import * as z from 'zod/mini';
import { STORAGE_CACHE_CONTROL_S } from '#contract/limits.ts';
import { type BackendClient, BUCKET } from './client.ts';
import { BackendError, toBackendError } from './errors.ts';

export type ObjectUpload = Readonly<{
  blob: Blob;
  /** `{interviewId}/{file}` */
  path: string;
  /** Bytes of the body sent so far and in all; the body is the file and a few hundred bytes around it. */
  onProgress?: ((sent: number, total: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}>;

/**
 * What supabase-js' `upload(path, blob, {upsert: true, cacheControl: '3600'})` sends, but through XMLHttpRequest,
 * because fetch cannot report how much has been sent (D18). `x-upsert` makes it repeatable after a lost answer.
 * @throws BackendError
 */
export async function uploadObject(backend: BackendClient, upload: ObjectUpload): Promise<void> {
  const body = new FormData();
  body.append('cacheControl', String(STORAGE_CACHE_CONTROL_S));
  body.append('', upload.blob);
  const path = upload.path.split('/').map(encodeURIComponent).join('/');
  const headers = await uploadHeaders(backend);
  await send(`${backend.config.supabaseUrl}/storage/v1/object/${BUCKET}/${path}`, headers, body, upload);
}

function send(url: string, headers: Readonly<Record<string, string>>, body: FormData, upload: ObjectUpload) {
  const { signal, onProgress } = upload;
  return new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    const fail = (error: BackendError) => {
      signal?.removeEventListener('abort', abort);
      reject(error);
    };
    request.open('POST', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', (event) => onProgress?.(event.loaded, event.total));
    request.addEventListener('error', () => fail(new BackendError('unreachable', 'no answer')));
    request.addEventListener('abort', () => fail(new BackendError('aborted', 'upload aborted')));
    request.addEventListener('load', () => {
      if (request.status >= 300) return fail(storageRefusal(request.status, request.responseText));
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    if (signal?.aborted === true) return reject(new BackendError('aborted', 'upload aborted'));
    signal?.addEventListener('abort', abort, { once: true });
    request.send(body);
  });
}

/**
 * What every upload carries besides its body: who sends it, for which contribution (D9), and that it may be repeated.
 */
export async function uploadHeaders({ config, supabase, interviewKey }: BackendClient) {
  const { data } = await supabase.auth.getSession();
  const headers: Record<string, string> = {
    authorization: `Bearer ${data.session?.access_token ?? config.supabaseKey}`,
    apikey: config.supabaseKey,
    'x-upsert': 'true',
  };
  if (interviewKey !== undefined) headers['x-interview-key'] = interviewKey;
  return headers;
}

const ErrorBody = z.object({
  message: z.optional(z.string()),
  code: z.optional(z.string()),
  statusCode: z.optional(z.string()),
});

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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
