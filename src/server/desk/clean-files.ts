import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { applyEdits, UncleanableError } from '#lib/clean-copy/index.ts';
import { planStoredCopy, type CleanCopy, type StoreRequest } from '../clean-copy.ts';
import { DeskError } from './error.ts';
import { holdLastChunk, type FileDamage } from './integrity.ts';
import { openStoredFile } from './stored-files.ts';

const TIMEOUT_MS = 60_000;

type Headers = Readonly<Record<string, string>>;

function connect(url: string, headers: Headers, signal: AbortSignal): StoreRequest {
  return (range) => openStoredFile(url, range === undefined ? headers : { ...headers, range }, signal);
}

/** Throws DeskError: file_not_cleanable and what opening throws. */
async function plan(request: StoreRequest): Promise<CleanCopy> {
  return planStoredCopy(request).catch((cause: unknown) => {
    throw cause instanceof UncleanableError ? new DeskError('file_not_cleanable', { cause }) : cause;
  });
}

/** Before a ticket is issued. Throws DeskError. */
export async function requireCleanCopy(url: string, headers: Headers): Promise<void> {
  await plan(connect(url, headers, AbortSignal.timeout(TIMEOUT_MS)));
}

type OpenedCopy = Readonly<{ stored: IncomingMessage; content: Readable; size: number }>;

/** The copy for publication; it breaks off before the end of a damaged file. Throws DeskError. */
export async function openCleanCopy(
  url: string,
  headers: Headers,
  signal: AbortSignal,
  report: (damage: FileDamage) => void,
): Promise<OpenedCopy> {
  const request = connect(url, headers, signal);
  const { edits, size, isSame } = await plan(request);
  const stored = await request();
  if (!isSame(stored)) {
    stored.destroy();
    throw new DeskError('file_not_cleanable');
  }
  return {
    stored,
    content: Readable.from(applyEdits(holdLastChunk(stored, report), edits), { objectMode: false }),
    size,
  };
}
