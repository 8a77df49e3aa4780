import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createByteQueue, decodeChunk, encodeWav, pcmDurationMs } from './pcm.ts';

test('Returns every byte once and in order, however it is filled and emptied', () => {
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

test('Writes a WAV header that matches its audio', () => {
  const pcm = Buffer.alloc(3_200);
  const wav = Buffer.from(encodeWav(pcm, 16_000));
  expect(wav.length).toBe(44 + 3_200);
  expect([wav.readUInt32LE(4), wav.readUInt32LE(24), wav.readUInt32LE(28), wav.readUInt32LE(40)]).toEqual([
    36 + 3_200,
    16_000,
    32_000,
    3_200,
  ]);
  expect(pcmDurationMs(pcm.length, 16_000)).toBe(100);
});

test('Decodes chunks of a client and refuses invalid base64', () => {
  expect(decodeChunk(Buffer.from([1, 2, 3, 4]).toString('base64'))).toEqual(Buffer.from([1, 2, 3, 4]));
  expect(decodeChunk('')).toEqual(Buffer.alloc(0));
  for (const bad of ['AAA', 'AAAA=', '????', 'A A=', Buffer.alloc(3).toString('base64')])
    expect(decodeChunk(bad)).toBeUndefined();
});
