import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createByteQueue } from './byte-queue.ts';

test('Gives back every byte once and in order, however it is filled and emptied (speech.md)', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 20 }), (filled, counts) => {
      const queue = createByteQueue();
      const out: Buffer[] = [];
      for (const [at, piece] of filled.entries()) {
        queue.push(piece);
        out.push(queue.take(counts[at] ?? 0));
      }
      out.push(queue.take(1_000));
      expect(Buffer.concat(out)).toEqual(Buffer.concat(filled));
      expect(queue.size()).toBe(0);
    }),
  );
});
