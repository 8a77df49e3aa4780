import fc from 'fast-check';
import { expect, test } from 'vitest';
import { peek } from './pieces.ts';

async function* inPieces(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function collected(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return pieces;
}

test('speech.md looking at the beginning loses no byte', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array()), fc.nat(50), async (pieces, bytes) => {
      const { head, all } = await peek(inPieces(pieces), bytes);
      const whole = Buffer.concat(pieces);
      const read = Buffer.concat(await collected(all));
      expect(read.equals(whole)).toBe(true);
      expect(whole.subarray(0, head.byteLength).equals(head)).toBe(true);
      expect(head.byteLength).toBeGreaterThanOrEqual(Math.min(bytes, whole.byteLength));
    }),
  );
});
