import { setTimeout as wait } from 'node:timers/promises';
import { BackupError } from './errors.ts';

export type Bytes = AsyncIterable<Buffer> | Iterable<Buffer>;

/** Reads small content into memory. Copies each piece, because a reader may reuse its buffers. */
export async function readAll(content: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of expectBuffers(content)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Narrows a library's stream to buffers. Throws TypeError where it yields something else. */
export async function* expectBuffers(content: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError('bytes were expected');
    yield chunk;
  }
}

type Opened = Readonly<{ bytes: number; content: AsyncIterable<Buffer> }>;

const PAUSES_MS = [0, 500, 2_000];

/**
 * Reads an opened file to its end and opens it again where the connection broke, so a short outage does not cost hours
 * of copying. Throws BackupError `file_unreadable` after three failures without a byte between them.
 */
export async function* readWithRetries(
  first: Opened,
  openAt: (start: number) => Promise<Opened>,
  name: string,
): AsyncGenerator<Buffer> {
  let read = 0;
  let failures = 0;
  let cause: unknown;
  let opening = Promise.resolve(first);
  for (;;) {
    try {
      for await (const chunk of (await opening).content) {
        read += chunk.length;
        failures = 0;
        yield chunk;
      }
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (read === first.bytes) return;
    const pause = PAUSES_MS[failures];
    if (pause === undefined || read > first.bytes) throw new BackupError('file_unreadable', name, { cause });
    await wait(pause);
    failures += 1;
    opening = openAt(read);
    opening.catch(() => undefined);
  }
}
