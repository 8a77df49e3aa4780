import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { createReadAhead } from '#backend/maintenance.ts';
import { createSink } from './writer.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;
/** Longer than it takes to read the next three files. */
const SLOW_MS = 30;

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function openFile(content: Buffer): Promise<FileHandle> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-writer-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'a'), content);
  const handle = await open(path.join(folder, 'a'));
  cleanUps.push(() => handle.close());
  return handle;
}

/** Takes the bytes of a chunk long after it was told to. */
function createSlowFile(): Readonly<{ handle: FileHandle; content: () => Buffer; isBusy: () => boolean }> {
  const chunks: Buffer[] = [];
  let writes = 0;
  const handle = {
    write: async (chunk: Buffer, from: number) => {
      writes += 1;
      await wait(SLOW_MS);
      chunks.push(Buffer.from(chunk.subarray(from)));
      writes -= 1;
      return { bytesWritten: chunk.length - from };
    },
    datasync: async () => undefined,
    sync: async () => undefined,
  } as unknown as FileHandle;
  return { handle, content: () => Buffer.concat(chunks), isBusy: () => writes > 0 };
}

describe('desk: files on their way into an archive', () => {
  test('Writes every byte of files that share three buffers, however slowly the disk takes them', async () => {
    const sizes = [3 * MEBIBYTE, 300 * KIBIBYTE, 300 * KIBIBYTE, 200 * KIBIBYTE, MEBIBYTE, 1, 2 * MEBIBYTE + 7, 0, 9];
    const contents = sizes.map((size) => randomBytes(size));
    const slow = createSlowFile();
    const sink = createSink(slow.handle, tmpdir(), 0);
    const readAhead = createReadAhead();
    const files = await Promise.all(contents.map(openFile));
    for (const [index, file] of files.entries()) {
      for await (const block of readAhead(file, 0, sizes[index] ?? 0)) await sink.write(block);
    }
    await sink.flush();
    const expected = Buffer.concat(contents);
    expect(slow.content().equals(expected)).toBe(true);
    expect(sink.written().bytes).toBe(expected.length);
  });

  test('Reads nothing more into the buffers when the caller stops early', async () => {
    const [first, second] = [randomBytes(4 * MEBIBYTE), randomBytes(2 * MEBIBYTE)];
    const readAhead = createReadAhead();
    for await (const block of readAhead(await openFile(first), 0, first.length)) {
      expect(block.equals(first.subarray(0, MEBIBYTE))).toBe(true);
      break;
    }
    const blocks: Buffer[] = [];
    for await (const block of readAhead(await openFile(second), 0, second.length)) blocks.push(block);
    expect(Buffer.concat(blocks).equals(second)).toBe(true);
  });

  test('Takes nothing more once it is stopped, and is at rest by then', async () => {
    const slow = createSlowFile();
    const sink = createSink(slow.handle, tmpdir(), 0);
    await sink.write(randomBytes(2 * MEBIBYTE));
    const waiting = sink.write(randomBytes(2 * MEBIBYTE));
    await setImmediate();
    await sink.stop();
    expect(slow.isBusy()).toBe(false);
    await waiting;
    await expect(sink.write(randomBytes(2 * MEBIBYTE))).rejects.toThrow('given up');
    expect(slow.content().length).toBe(4 * MEBIBYTE);
  });
});
