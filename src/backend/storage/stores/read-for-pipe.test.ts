import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readForPipe } from './read-for-pipe.ts';

const CONTENT = randomBytes(3_000_001);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-read-'));
  await writeFile(path.join(folder, 'file'), CONTENT);
});
afterEach(() => rm(folder, { recursive: true }));

/** What a client of an answer gets, or the name of its error. */
async function serve(start: number, length: number): Promise<Buffer | string> {
  const handle = await open(path.join(folder, 'file'));
  const server = createServer((_request, answer) => {
    answer.setHeader('content-length', length);
    readForPipe(handle, start, length)
      .once('error', () => answer.destroy())
      .pipe(answer);
  }).listen(0);
  try {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return Buffer.from(await answer.arrayBuffer());
  } catch (error) {
    return error instanceof Error ? error.name : 'unknown';
  } finally {
    server.close();
    // An end and an error both close the file.
    await expect.poll(() => handle.fd).toBe(-1);
  }
}

test.each([
  [0, CONTENT.length],
  [1, 262_144],
  [262_143, 262_145],
  [2_999_990, 11],
  [5, 0],
])('An answer gets the bytes from %d on, %d of them', async (start, length) => {
  const got = await serve(start, length);
  expect(Buffer.isBuffer(got) && got.equals(CONTENT.subarray(start, start + length))).toBe(true);
});

test('Breaks off where the file ends early', async () => {
  expect(await serve(2_000_000, 2_000_000)).toBe('TypeError');
});

test('Gives what is there before it breaks off', async () => {
  const reading = readForPipe(await open(path.join(folder, 'file')), CONTENT.length - 1_000, 300_000);
  const got: Buffer[] = [];
  await expect(
    (async () => {
      for await (const chunk of reading) got.push(Buffer.from(chunk as Buffer));
    })(),
  ).rejects.toThrow('only a part');
  expect(Buffer.concat(got).equals(CONTENT.subarray(-1_000))).toBe(true);
});

test('Closes the file where the target goes away', async () => {
  const handle = await open(path.join(folder, 'file'));
  const reading = readForPipe(handle, 0, CONTENT.length);
  reading.destroy();
  await expect.poll(() => handle.fd).toBe(-1);
});
