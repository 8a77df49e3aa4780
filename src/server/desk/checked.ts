import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

type Expected = Readonly<{ size: number | undefined; md5: string | undefined }>;

export type FileFault = 'short' | 'damaged';

/**
 * Passes a stored file's bytes on and looks whether they are all there and the ones that were stored. A file that
 * breaks off ends early; it does not break what it is packed into.
 */
export async function* checked(
  content: AsyncIterable<Buffer>,
  expected: Expected,
  tell: (fault: FileFault) => void,
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
  if (broken || (expected.size !== undefined && size < expected.size)) tell('short');
  else if (md5 !== undefined && md5.digest('hex') !== expected.md5) tell('damaged');
}

/** What the store says of a file. An entity tag is an md5 where the file was stored in one piece. */
export function expectedOf(headers: IncomingHttpHeaders): Expected {
  const size = Number(headers['content-length'] ?? Number.NaN);
  const [, md5] = /^"([\da-f]{32})"$/.exec(headers.etag ?? '') ?? [];
  return { size: Number.isSafeInteger(size) ? size : undefined, md5 };
}
