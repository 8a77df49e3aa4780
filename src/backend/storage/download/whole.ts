import { pipeline, Transform, type Readable } from 'node:stream';

/**
 * Fails at the end where there were fewer bytes than announced: otherwise the receiver of a damaged file would wait for
 * the rest until the connection is closed for idleness.
 */
export function whole(content: Readable, size: number): Readable {
  let missing = size;
  const counting = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      missing -= chunk.length;
      done(null, chunk);
    },
    flush(done) {
      done(missing > 0 ? new Error('The store has only a part of the file') : null);
    },
  });
  return pipeline(content, counting, () => undefined);
}
