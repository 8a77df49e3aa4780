import { createHash, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { createChecksums, LARGE_BYTES, type Checksums } from './sha256.ts';

const opened: Checksums[] = [];
afterEach(async () => {
  for (const checksums of opened.splice(0)) await checksums.close();
});

function openChecksums(): Checksums {
  const checksums = createChecksums();
  opened.push(checksums);
  return checksums;
}

/** Hashes `content` through two buffers that take turns, as chunks stay as they are until the next one is taken. */
async function hashInTurns(checksums: Checksums, content: Buffer): Promise<string> {
  const buffers = [0, 1].map(() => Buffer.from(new SharedArrayBuffer(256 * 1024)));
  const checksum = checksums.begin(content.length);
  for (let at = 0, turn = 0; at < content.length; turn += 1) {
    const buffer = buffers[turn % 2] ?? Buffer.alloc(0);
    const bytes = content.copy(buffer, 0, at);
    await checksum.update(buffer.subarray(0, bytes));
    at += bytes;
  }
  return checksum.digest();
}

describe('desk: checksums of an archive', () => {
  test.each([0, 1, LARGE_BYTES - 1, LARGE_BYTES, 5 * LARGE_BYTES + 7])(
    'Equals the checksum that is computed at once, of %d bytes in buffers that take turns',
    async (size) => {
      const content = randomBytes(size);
      expect(await hashInTurns(openChecksums(), content)).toBe(createHash('sha256').update(content).digest('hex'));
    },
  );

  test('Begins each content afresh, also after one on the other thread', async () => {
    const checksums = openChecksums();
    const contents = [2 * LARGE_BYTES, 3, LARGE_BYTES, 2 * LARGE_BYTES].map((size) => randomBytes(size));
    for (const content of contents)
      expect(await hashInTurns(checksums, content)).toBe(createHash('sha256').update(content).digest('hex'));
  });

  test('Fails with what the thread failed with, for chunks on the way and later ones', async () => {
    const checksum = openChecksums().begin(LARGE_BYTES);
    await checksum.update(5 as unknown as Buffer);
    const failure = expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' });
    await expect(checksum.update(Buffer.alloc(9))).rejects.toEqual(failure);
    await expect(checksum.digest()).rejects.toEqual(failure);
  });

  test('Begins nothing once it is closed, so that no thread outlives an archive that is given up', async () => {
    const checksums = openChecksums();
    await checksums.close();
    expect(() => checksums.begin(LARGE_BYTES)).toThrow('given up');
  });
});
