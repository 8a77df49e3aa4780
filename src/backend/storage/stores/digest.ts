import { createHash } from 'node:crypto';
import { Transform } from 'node:stream';
import type { StoredFile } from '../object-store.ts';

/** Passes bytes on and knows, once they are through, how many there were and their md5. */
export function digesting(): { stream: Transform; result: () => StoredFile } {
  const hash = createHash('md5');
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ size, md5: hash.digest('hex') }) };
}
