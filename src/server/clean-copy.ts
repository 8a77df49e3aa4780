import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createFileReader, measureEdited, planCleanCopy, UncleanableError, type Edit } from '#lib/clean-copy/index.ts';

const PARTIAL = 206;

/** Requests a stored file, or a range of it. */
export type StoreRequest = (range?: string) => Promise<IncomingMessage>;

export type CleanCopy = Readonly<{
  edits: readonly Edit[];
  /** Bytes of the copy. */
  size: number;
  /** The bytes that were looked at: a file that is another one meanwhile is not given out. */
  isSame: (stored: IncomingMessage) => boolean;
}>;

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
    throw new UncleanableError('the file is another one meanwhile');
  });
  const edits = await planCleanCopy(reader);
  return { edits, size: measureEdited(size, edits), isSame };
}
