import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { checked, expectedOf, type FileFault } from './checked.ts';
import { DeskFailure } from './faults.ts';
import { openStored } from './stored-files.ts';

const PARTIAL = 206;
const PATIENCE_MS = 30_000;
/** So much is read before a link is given; of what is larger, its two ends. */
const READ_AHEAD_BYTES = 16 * 1024 * 1024;

type Ask = (range?: string) => Promise<IncomingMessage>;

/**
 * Looks at a file before somebody downloads it: at every byte where the store knows its sum and it is not too large,
 * else at the first and the last one. Throws DeskFailure: file_missing, file_damaged, backend_failed.
 */
export async function expectWhole(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const ask: Ask = (range) => openStored(url, range === undefined ? headers : { ...headers, range }, patience);
  const first = await ask('bytes=0-0');
  const isSummed = expectedOf(first.headers).md5 !== undefined && sizeOf(first) <= READ_AHEAD_BYTES;
  await takePart(first);
  await (isSummed ? readAll(ask, patience) : ask('bytes=-1').then(takePart)).catch((cause: unknown) => {
    throw new DeskFailure('file_damaged', { cause });
  });
}

/** A store that is only slow damages nothing: what comes later is looked at while it is downloaded. */
async function readAll(ask: Ask, patience: AbortSignal): Promise<void> {
  const answer = await ask();
  let found: FileFault | undefined;
  for await (const piece of checked(answer, expectedOf(answer.headers), (fault) => (found = fault))) void piece;
  if (found !== undefined && !patience.aborted) throw new Error(found);
}

/** An empty file has no part, and a store that knows no parts is not asked for the whole. */
async function takePart(answer: IncomingMessage): Promise<void> {
  if (answer.statusCode === PARTIAL) await buffer(answer);
  else answer.destroy();
}

/** Of the whole file, of which `answer` is a part. */
function sizeOf({ headers }: IncomingMessage): number {
  const [, size] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  return size === undefined ? Infinity : Number(size);
}
