import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { checked, expectedOf, type FileFault } from './checked.ts';

const WHOLE = 200;
const CHUNK_BYTES = 64 * 1024;

/**
 * What a browser saves of a stored file. The last piece is given only after all of them were compared with the sum the
 * store has: of a damaged file the answer breaks off, so that nobody takes it for a whole one. A part of a file passes
 * as it is.
 */
export function unbroken(stored: IncomingMessage, tell: (fault: FileFault) => void): Readable {
  if (stored.statusCode !== WHOLE) return stored;
  return Readable.from(heldBack(stored, tell), { objectMode: false, highWaterMark: CHUNK_BYTES });
}

async function* heldBack(stored: IncomingMessage, tell: (fault: FileFault) => void): AsyncGenerator<Buffer> {
  let found: FileFault | undefined;
  let last: Buffer | undefined;
  const pieces = checked(stored, expectedOf(stored.headers), (fault) => {
    found = fault;
  });
  for await (const piece of pieces) {
    if (last !== undefined) yield last;
    last = piece;
  }
  if (found !== undefined) {
    tell(found);
    throw new Error(`a stored file is ${found}`);
  }
  if (last !== undefined) yield last;
}
