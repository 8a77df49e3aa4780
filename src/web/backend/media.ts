/**
 * Table `media_uploads` and bucket `Media` (§3, §7, D11). Every function throws BackendError unless it says otherwise.
 */
import { StorageApiError } from '@supabase/supabase-js';
import * as z from 'zod/mini';
import type { ImageRights } from '#contract/media-uploads.ts';
import { type SpokenSegment, spokenSegments } from '#contract/spoken.ts';
import { type BackendClient, BUCKET } from './client.ts';
import { BackendError, isKind, toBackendError } from './errors.ts';
import { getData } from './interviews.ts';
import { untilWritten, within, WRITE_TIMEOUT_MS } from './time-limits.ts';

const TABLE = 'media_uploads';
const NO_SUCH_COLUMN = '42703';

/**
 * §3 'Uploaded file summary'. `path` is the full path in the bucket, `type` the MIME type, `name` what the contributor
 * calls the file, where that is known.
 */
export type StoredFile = Readonly<{ path: string; type: string; name?: string | undefined }>;

/**
 * `spoken`: when each sentence of a recording was said, where that is known. `imageRights`: who can be recognised on a
 * picture or in a film. `name`: what the contributor calls the file, as `plainFileName` gives it.
 */
export type NewMedia = StoredFile &
  Readonly<{
    spoken?: readonly SpokenSegment[] | undefined;
    imageRights?: ImageRights | undefined;
  }>;

const Rows = z.array(
  z.object({ file_path: z.string(), file_type: z.nullish(z.string()), original_name: z.nullish(z.string()) }),
);

/** Repeatable: unique(interview_id, file_path) makes a second registration a no-op. */
export async function registerMedia(backend: BackendClient, interviewId: number, file: NewMedia): Promise<void> {
  const { path, type, spoken = [], imageRights, name } = file;
  const row = {
    interview_id: interviewId,
    file_path: path,
    file_type: type,
    ...(spoken.length > 0 && { spoken }),
    ...(imageRights !== undefined && { image_rights: imageRights }),
    ...(name !== undefined && { original_name: name }),
  };
  const { error, status } = await backend.supabase.from(TABLE).insert(row).abortSignal(untilWritten());
  if (error === null) return;
  const failure = toBackendError(error, status);
  // A hosted project without that migration knows no names: the file counts more than its name.
  if (failure.kind === 'schema' && name !== undefined)
    return registerMedia(backend, interviewId, { ...file, name: undefined });
  if (failure.kind !== 'duplicate') throw failure;
  if (imageRights === undefined) return;
  await answerImageRights(backend, path, imageRights).catch((error: unknown) => {
    // The file has arrived, and its contribution is complete: the answer it came with stays.
    if (!isKind(error, 'refused')) throw error;
  });
}

/** Changes the answer about a registered file, until the contact details are saved; `refused` from then on. */
export async function answerImageRights(backend: BackendClient, path: string, rights: ImageRights): Promise<void> {
  const call = backend.supabase.rpc('answer_image_rights', { path, rights });
  const isTaken = getData(await call.abortSignal(untilWritten()));
  if (isTaken !== true) throw new BackendError('refused', 'the contribution takes no other answer');
}

/** In the order of registration. */
export async function listMedia(backend: BackendClient, interviewId: number): Promise<readonly StoredFile[]> {
  const select = (columns: string) =>
    backend.supabase.from(TABLE).select(columns).eq('interview_id', interviewId).order('id');
  const named = await select('file_path,file_type,original_name');
  // A hosted project without that migration knows no names.
  const answer = named.error?.code === NO_SUCH_COLUMN ? await select('file_path,file_type') : named;
  return Rows.parse(getData(answer)).map(({ file_path: path, file_type: type, original_name: name }) => {
    return { path, type: type ?? '', ...(name == null ? {} : { name }) };
  });
}

const SpokenRows = z.array(z.object({ file_path: z.string(), spoken: z.unknown() }));

/** The spoken segments of each recording, by its path. */
export async function listSpokenSegments(
  backend: BackendClient,
  interviewId: number,
): Promise<ReadonlyMap<string, readonly SpokenSegment[]>> {
  const answer = await backend.supabase
    .from(TABLE)
    .select('file_path,spoken')
    .eq('interview_id', interviewId)
    .not('spoken', 'is', null)
    .order('id');
  return new Map(SpokenRows.parse(getData(answer)).map((row) => [row.file_path, spokenSegments(row.spoken)]));
}

/** Downloads with the caller's own rights; the bucket is private (D11). */
export async function downloadMedia(backend: BackendClient, path: string): Promise<Blob> {
  const { data, error } = await backend.supabase.storage.from(BUCKET).download(path);
  if (error !== null) throw fromStorage(error);
  return data;
}

/** Returns signed URLs by path, valid for `seconds`. A missing file has none. */
export async function signMedia(
  { supabase }: BackendClient,
  paths: readonly string[],
  seconds: number,
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const { data, error } = await supabase.storage.from(BUCKET).createSignedUrls([...paths], seconds);
  if (error !== null) throw fromStorage(error);
  return new Map(
    data.flatMap(({ error: refusal, path, signedUrl }) =>
      refusal === null && path !== null && signedUrl !== null ? [[path, signedUrl] as const] : [],
    ),
  );
}

const RANGE_NOT_SATISFIABLE = 416;

/** The first bytes of a file: enough to see what it is, or to read the beginning of a text. */
export async function readMediaStart(backend: BackendClient, path: string, bytes: number): Promise<Blob> {
  const url = (await signMedia(backend, [path], 60)).get(path);
  if (url === undefined) throw new BackendError('missing', path);
  const response = await fetch(url, { headers: { range: `bytes=0-${bytes - 1}` } }).catch((error: unknown) => {
    throw new BackendError('unreachable', String(error));
  });
  // The file is empty, so it has no beginning.
  if (response.status === RANGE_NOT_SATISFIABLE) return new Blob([]);
  if (!response.ok) throw toBackendError({ message: response.statusText }, response.status);
  return response.blob();
}

/** Programs on Windows save in UTF-16 with a mark, or by a code page: as UTF-8, it has damaged signs and no umlaut. */
export function decodeText(bytes: ArrayBuffer): string {
  const [first = 0] = new Uint8Array(bytes);
  if (first >= 0xfe) return new TextDecoder(first === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes);
  // The last character of a cut one may be incomplete.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const isUtf8 = !text.includes('\uFFFD') || /[\u00A0-\u00FF]/.test(text);
  return isUtf8 ? text : new TextDecoder('windows-1252').decode(bytes);
}

/** §4: gets the bucket and creates it where it is missing; private whatever §3 says (D11). */
export async function ensureBucket(backend: BackendClient): Promise<void> {
  const { storage } = backend.supabase;
  const found = await within(WRITE_TIMEOUT_MS, storage.getBucket(BUCKET));
  if (found.error === null) return;
  const refusal = fromStorage(found.error);
  if (refusal.kind !== 'missing') throw refusal;
  const made = await within(WRITE_TIMEOUT_MS, storage.createBucket(BUCKET, { public: false }));
  if (made.error === null) return;
  const failure = fromStorage(made.error);
  if (failure.kind !== 'duplicate') throw failure;
}

function fromStorage(error: Error): BackendError {
  if (!(error instanceof StorageApiError)) return new BackendError('unreachable', error.message);
  const status = Number.parseInt(error.statusCode, 10);
  return toBackendError(error, Number.isNaN(status) ? error.status : status);
}
