import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { buffer, text } from 'node:stream/consumers';
import { z } from 'zod';
import { createFileReader, measureEdited, planCleanCopy, UncleanableError, type Edit } from '#lib/clean-copy/index.ts';
import { CodedError } from '#lib/error-code.ts';
import { parseJson } from '#lib/parse-json.ts';

const TIMEOUT_MS = 30_000;
const NOT_FOUND = 404;
const RANGE_ERROR = 416;

const Refusal = z.object({ statusCode: z.coerce.number() });

/** missing: the store has no such file · failed: it did not answer as it should. */
export class StoredFileError extends CodedError<'missing' | 'failed'> {
  constructor(code: 'missing' | 'failed', options?: ErrorOptions) {
    super(code, `a stored file: ${code}`, options);
  }
}

/** Address of a stored file at the backend `base`: for a bearer token, or with a signature. */
export function formatFileUrl(base: string, path: string, signature?: string): string {
  const name = path.split('/').map(encodeURIComponent).join('/');
  if (signature === undefined) return `${base}/storage/v1/object/authenticated/Media/${name}`;
  return `${base}/storage/v1/object/sign/Media/${name}?token=${signature}`;
}

/**
 * Opens a stored file: 200, 206 or 416. Does not use `fetch`, which copies each byte once more. Throws StoredFileError.
 */
export async function openStoredFile(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const answer = await sendRequest(url, headers, signal).catch((cause: unknown) => {
    throw new StoredFileError('failed', { cause });
  });
  const { statusCode = 0 } = answer;
  if (statusCode < 300 || statusCode === RANGE_ERROR) return answer;
  throw new StoredFileError((await isMissing(answer)) ? 'missing' : 'failed');
}

function sendRequest(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const get = url.startsWith('https:') ? getHttps : getHttp;
    const outgoing = get(url, { headers, signal, timeout: TIMEOUT_MS }, (answer) => {
      // The client sets the pace from here on and may pause for long.
      outgoing.setTimeout(0);
      resolve(answer);
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('no answer')));
    outgoing.once('error', reject);
  });
}

/** The storage service answers 400 and puts the real status into the body. */
async function isMissing(answer: IncomingMessage): Promise<boolean> {
  const body = await text(answer).catch(() => '');
  if (answer.statusCode === NOT_FOUND) return true;
  return Refusal.safeParse(parseJson(body)).data?.statusCode === NOT_FOUND;
}

const PARTIAL = 206;

/** Requests a stored file, or a range of it. */
export type StoreRequest = (range?: string) => Promise<IncomingMessage>;

/** `size`: the bytes of the copy. `isSame`: whether an answer is the file that was looked at. */
type CleanCopy = Readonly<{
  edits: readonly Edit[];
  size: number;
  isSame: (stored: IncomingMessage) => boolean;
}>;

/** Opens a stored file with what its copy for publication leaves out. Throws like `planStoredCopy`. */
export async function openStoredCopy(
  request: StoreRequest,
): Promise<Omit<CleanCopy, 'isSame'> & Readonly<{ stored: IncomingMessage }>> {
  const { edits, size, isSame } = await planStoredCopy(request);
  const stored = await request();
  if (isSame(stored)) return { stored, edits, size };
  stored.destroy();
  throw new UncleanableError(REPLACED);
}

const REPLACED = 'the file is another one meanwhile';

/**
 * Looks at a stored file and says what its copy for publication leaves out. Throws UncleanableError, and what `request`
 * throws.
 */
export async function planStoredCopy(request: StoreRequest): Promise<CleanCopy> {
  const first = await request('bytes=0-0');
  const { etag } = first.headers;
  const [, total] = /\/(\d+)$/.exec(first.headers['content-range'] ?? '') ?? [];
  if (first.statusCode !== PARTIAL || total === undefined) {
    first.destroy();
    throw new UncleanableError('the file is empty, or the store gives no ranges');
  }
  await buffer(first);
  const isSame = (stored: IncomingMessage): boolean => stored.headers.etag === etag;
  const size = Number(total);
  const reader = createFileReader(size, async (at, length) => {
    const part = await request(`bytes=${at}-${at + length - 1}`);
    if (part.statusCode === PARTIAL && isSame(part)) return buffer(part);
    part.destroy();
    throw new UncleanableError(REPLACED);
  });
  const edits = await planCleanCopy(reader);
  return { edits, size: measureEdited(size, edits), isSame };
}
