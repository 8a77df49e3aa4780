import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { afterEach, describe, expect, test } from 'vitest';
import { readAll } from '../bytes.ts';
import { createPieces, readEntries, type Pieces } from './reader.ts';

const MEBIBYTE = 1024 * 1024;

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function openPieces(content: Buffer, end = content.length): Promise<Pieces> {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-entries-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'a'), content);
  const handle = await open(path.join(folder, 'a'));
  cleanUps.push(() => handle.close());
  return createPieces(handle, end);
}

/** Without the end marker of tar, like the bytes before a manifest. */
async function buildTar(fill: (archive: Pack) => void): Promise<Buffer> {
  const archive = pack();
  fill(archive);
  archive.finalize();
  return (await readAll(archive)).subarray(0, -1024);
}

describe('desk: the parts of an archive', () => {
  test('names, sizes and bytes, wherever a mebibyte ends', async () => {
    const sizes = [0, 1, 511, 512, 513, MEBIBYTE - 512, MEBIBYTE, 3 * MEBIBYTE + 7, 5 * MEBIBYTE, 2];
    const files = sizes.map((size, index) => ({ name: `files/${index}`, content: randomBytes(size) }));
    const tar = await buildTar((archive) => files.forEach(({ name, content }) => archive.entry({ name }, content)));
    const pieces = await openPieces(tar);
    const found = [];
    for await (const { name, content } of readEntries(pieces)) found.push({ name, content: await readAll(content) });
    expect(found.map(({ name, content }) => [name, content.length])).toEqual(
      files.map(({ name, content }) => [name, content.length]),
    );
    expect(found.every(({ content }, index) => files[index]?.content.equals(content))).toBe(true);
    expect(pieces.crc32()).toBe(crc32(tar));
  });

  test('a piece stays as it is until two more have been asked for', async () => {
    const content = randomBytes(8 * MEBIBYTE + 5);
    const pieces = await openPieces(content);
    const kept: { piece: Buffer; start: number }[] = [];
    for (let start = 0; !pieces.ended(); start += kept.at(-1)?.piece.length ?? 0) {
      kept.push({ piece: await pieces.next(content.length), start });
      // Another read gives the read-ahead time to overwrite a buffer.
      await readAll((await open(import.meta.filename)).createReadStream());
      for (const { piece, start: from } of kept.slice(-2)) {
        expect(piece.equals(content.subarray(from, from + piece.length))).toBe(true);
      }
    }
    expect(kept.length).toBeGreaterThan(8);
  });

  test('a file of nine gibibytes has a size', async () => {
    const size = 9 * 1024 ** 3;
    const archive = pack();
    archive.entry({ name: 'files/gross', size });
    const { value } = await archive[Symbol.asyncIterator]().next();
    const read = readEntries(await openPieces(Buffer.concat([value as Buffer, Buffer.alloc(512)])));
    expect((await read.next()).value).toMatchObject({ name: 'files/gross', size });
  });

  test.each([
    ['a folder', (archive: Pack) => archive.entry({ name: 'files/', type: 'directory' })],
    ['a link', (archive: Pack) => archive.entry({ name: 'files/1', type: 'symlink', linkname: '/etc/passwd' })],
  ])('%s is none', async (_, fill) => {
    const read = readEntries(await openPieces(await buildTar(fill)));
    await expect(read.next()).rejects.toThrow('is no file');
  });

  test('a header with one wrong byte is none, nor is one that is cut', async () => {
    const tar = await buildTar((archive) => archive.entry({ name: 'files/1' }, 'Hallo'));
    const wrong = Buffer.from(tar);
    wrong.writeUInt8((wrong[3] ?? 0) ^ 1, 3);
    await expect(readEntries(await openPieces(wrong)).next()).rejects.toThrow('no header');
    await expect(readEntries(await openPieces(tar.subarray(0, 300))).next()).rejects.toThrow('no header');
  });

  test('a file that is shorter than it was', async () => {
    const tar = await buildTar((archive) => archive.entry({ name: 'files/1' }, randomBytes(MEBIBYTE)));
    const pieces = await openPieces(tar.subarray(0, -600), tar.length);
    const all = async (): Promise<void> => {
      for await (const { content } of readEntries(pieces)) await readAll(content);
    };
    await expect(all()).rejects.toThrow('ends too early');
  });
});
