import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFileSink } from './file-sink.ts';

const PACKET = 64 * 1024;

let folder: string;
let handle: FileHandle;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-sink-'));
  handle = await open(path.join(folder, 'file'), 'w');
});
afterEach(async () => {
  await handle.close();
  await rm(folder, { recursive: true, force: true });
});

const readAll = (): Promise<Buffer> => readFile(path.join(folder, 'file'));

test('Writes packets together, every byte once and in order', async () => {
  const content = randomBytes(16 * PACKET + 5);
  const packets = Array.from({ length: 17 }, (_, at) => content.subarray(at * PACKET, (at + 1) * PACKET));
  const writes = vi.spyOn(handle, 'writev');
  await pipeline(Readable.from(packets), createFileSink(handle, { folder, minimumFree: 0 }));
  expect((await readAll()).equals(content)).toBe(true);
  const gathered = writes.mock.calls.map(([buffers]) => buffers.length);
  expect(gathered.slice(0, -1).every((count) => count >= 4)).toBe(true);
});

test('Writes what a part brought before it broke off, so that the client goes on behind it (contract §3.3)', async () => {
  const sink = createFileSink(handle, { folder, minimumFree: 0, start: 3 });
  sink.write(Buffer.from('half of'));
  sink.end();
  await new Promise((resolve) => void sink.once('finish', resolve));
  expect((await readAll()).toString()).toBe('\0\0\0half of');
});

test('A disk that takes only some of the bytes gets the rest with the next write', async () => {
  const writev = handle.writev.bind(handle);
  vi.spyOn(handle, 'writev').mockImplementation((async (buffers: Buffer[], at?: number) => {
    const [first] = buffers;
    return writev([(first ?? Buffer.alloc(0)).subarray(0, 2)], at);
  }) as never);
  await pipeline(
    Readable.from([Buffer.from('abc'), Buffer.from('defg')]),
    createFileSink(handle, { folder, minimumFree: 0 }),
  );
  expect((await readAll()).toString()).toBe('abcdefg');
});

test('Frees what it has written where it owns the memory', async () => {
  const chunks = [Buffer.alloc(PACKET, 'a'), Buffer.alloc(5 * PACKET, 'b'), Buffer.alloc(PACKET, 'c')];
  const expected = Buffer.concat(chunks);
  await pipeline(Readable.from(chunks), createFileSink(handle, { folder, minimumFree: 0, ownsChunks: true }));
  expect((await readAll()).equals(expected)).toBe(true);
  expect(chunks.map(({ length }) => length)).toEqual([0, 0, 0]);
});

test('Leaves memory that it does not own', async () => {
  const chunk = Buffer.alloc(PACKET, 'a');
  await pipeline(Readable.from([chunk]), createFileSink(handle, { folder, minimumFree: 0 }));
  expect(chunk).toHaveLength(PACKET);
});
