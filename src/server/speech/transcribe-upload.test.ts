import fc from 'fast-check';
import { expect, test } from 'vitest';
import { peek } from './transcribe-upload.ts';

async function* stream(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return pieces;
}

test('Loses no byte by peeking at the beginning', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array()), fc.nat(50), async (pieces, bytes) => {
      const { head, all } = await peek(stream(pieces), bytes);
      const whole = Buffer.concat(pieces);
      const read = Buffer.concat(await collect(all));
      expect(read.equals(whole)).toBe(true);
      expect(whole.subarray(0, head.byteLength).equals(head)).toBe(true);
      expect(head.byteLength).toBeGreaterThanOrEqual(Math.min(bytes, whole.byteLength));
    }),
  );
});
