import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { applyEdits, UncleanableError } from '#lib/clean-copy/index.ts';
import {
  openStoredCopy,
  openStoredFile as open,
  planStoredCopy,
  StoredFileError,
  type StoreRequest,
} from '../stored-file.ts';
import { DeskError } from './error.ts';

/** Throws DeskError: file_missing, backend_failed. */
export function openStoredFile(...[url, headers, signal]: Parameters<typeof open>): Promise<IncomingMessage> {
  return open(url, headers, signal).catch((error: unknown) => {
    const isMissing = error instanceof StoredFileError && error.code === 'missing';
    throw new DeskError(isMissing ? 'file_missing' : 'backend_failed', { cause: error });
  });
}

const WHOLE = 200;
const CHUNK_BYTES = 64 * 1024;

/**
 * Streams a stored file and sends the last chunk only after the checksum matched: the answer for a damaged file breaks
 * off, so the browser reports an incomplete download. Ranges pass unchecked.
 */
export function streamVerified(stored: IncomingMessage, report: (damage: FileDamage) => void): Readable {
  if (stored.statusCode !== WHOLE) return stored;
  return Readable.from(holdLastChunk(stored, report), { objectMode: false, highWaterMark: CHUNK_BYTES });
}

/** Throws before the last chunk of a damaged file. */
async function* holdLastChunk(stored: IncomingMessage, report: (damage: FileDamage) => void): AsyncGenerator<Buffer> {
  let found: FileDamage | undefined;
  let last: Buffer | undefined;
  const pieces = verifyContent(stored, readExpected(stored.headers), (damage) => {
    found = damage;
  });
  for await (const piece of pieces) {
    if (last !== undefined) yield last;
    last = piece;
  }
  if (found !== undefined) {
    report(found);
    throw new Error(`a stored file is ${found}`);
  }
  if (last !== undefined) yield last;
}

type Expected = Readonly<{ size: number | undefined; md5: string | undefined }>;

export type FileDamage = 'short' | 'damaged';

/**
 * Passes a stored file's bytes on and reports missing or changed ones. Ends early after a broken connection, so that an
 * archive can continue with the next file.
 */
export async function* verifyContent(
  content: AsyncIterable<Buffer>,
  expected: Expected,
  report: (damage: FileDamage) => void,
): AsyncGenerator<Buffer> {
  const md5 = expected.md5 === undefined ? undefined : createHash('md5');
  let size = 0;
  let broken = false;
  try {
    for await (const chunk of content) {
      size += chunk.length;
      md5?.update(chunk);
      yield chunk;
    }
  } catch {
    broken = true;
  }
  if (broken || (expected.size !== undefined && size < expected.size)) report('short');
  else if (md5 !== undefined && md5.digest('hex') !== expected.md5) report('damaged');
}

/** Reads size and checksum from the headers. An entity tag is an MD5 if the file was stored in one piece. */
export function readExpected(headers: IncomingHttpHeaders): Expected {
  const size = Number(headers['content-length'] ?? Number.NaN);
  const [, md5] = /^"([\da-f]{32})"$/.exec(headers.etag ?? '') ?? [];
  return { size: Number.isSafeInteger(size) ? size : undefined, md5 };
}

const PARTIAL = 206;
const TIMEOUT_MS = 30_000;
/** Files up to this size are read whole before a ticket is issued; of larger ones the first and last byte. */
const READ_AHEAD_BYTES = 16 * 1024 * 1024;

/**
 * Verifies a file before its download: every byte if the store knows its checksum and it is small enough, else the
 * first and the last one. Throws DeskError: file_missing, file_damaged, backend_failed.
 */
export async function verifyStoredFile(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const request = requestFrom(url, headers, timeout);
  const first = await request('bytes=0-0');
  const isSummed = readExpected(first.headers).md5 !== undefined && parseTotalSize(first) <= READ_AHEAD_BYTES;
  await drainPart(first);
  await (isSummed ? readAll(request, timeout) : request('bytes=-1').then(drainPart)).catch((cause: unknown) => {
    throw isNoDamage(cause) ? cause : new DeskError('file_damaged', { cause });
  });
}

/** The file was removed meanwhile, or the store could not be reached. A store that answers with an error has read. */
function isNoDamage(error: unknown): boolean {
  if (!(error instanceof DeskError)) return false;
  return error.code === 'file_missing' || (error.cause instanceof Error && error.cause.cause !== undefined);
}

/** A slow store does not count as damage: the download itself verifies the rest. */
async function readAll(request: StoreRequest, timeout: AbortSignal): Promise<void> {
  const answer = await request();
  let found: FileDamage | undefined;
  for await (const piece of verifyContent(answer, readExpected(answer.headers), (damage) => (found = damage)))
    void piece;
  if (found !== undefined && !timeout.aborted) throw new Error(found);
}

/** An empty file has no range; a store without ranges is not asked for the whole file. */
async function drainPart(answer: IncomingMessage): Promise<void> {
  if (answer.statusCode === PARTIAL) await buffer(answer);
  else answer.destroy();
}

/** Reads the size of the whole file from the answer to a range. */
function parseTotalSize({ headers }: IncomingMessage): number {
  const [, size] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  return size === undefined ? Infinity : Number(size);
}

const CLEAN_TIMEOUT_MS = 60_000;

type Headers = Readonly<Record<string, string>>;

/** Throws DeskError: file_missing, backend_failed. */
export function requestFrom(url: string, headers: Headers, signal: AbortSignal): StoreRequest {
  return (range) => openStoredFile(url, range === undefined ? headers : { ...headers, range }, signal);
}

function rejectUncleanable(cause: unknown): never {
  throw cause instanceof UncleanableError ? new DeskError('file_not_cleanable', { cause }) : cause;
}

/** Before a ticket is issued. Throws DeskError. */
export async function requireCleanCopy(url: string, headers: Headers): Promise<void> {
  await planStoredCopy(requestFrom(url, headers, AbortSignal.timeout(CLEAN_TIMEOUT_MS))).catch(rejectUncleanable);
}

type OpenedCopy = Readonly<{ stored: IncomingMessage; content: Readable; size: number }>;

/** The copy for publication; it breaks off before the end of a damaged file. Throws DeskError. */
export async function openCleanCopy(
  url: string,
  headers: Headers,
  signal: AbortSignal,
  report: (damage: FileDamage) => void,
): Promise<OpenedCopy> {
  const { stored, edits, size } = await openStoredCopy(requestFrom(url, headers, signal)).catch(rejectUncleanable);
  const content = Readable.from(applyEdits(holdLastChunk(stored, report), edits), { objectMode: false });
  return { stored, content, size };
}
