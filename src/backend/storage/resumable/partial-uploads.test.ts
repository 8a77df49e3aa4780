import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdtemp, open as openFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { Upload } from '@tus/utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openDiskStore } from '../stores/disk.ts';
import { MissingFileError, storeKey, StoreFullError } from '../stores/object-store.ts';
import { openPartialUploads } from './open-partial-uploads.ts';
import { leadsTo } from './partial-uploads.ts';

const VERSION = 'ab000000-0000-4000-8000-000000000000';
const OTHER = 'cd000000-0000-4000-8000-000000000000';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-partial-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

async function open(minimumFree = 0) {
  const location = { kind: 'disk', folder, minimumFree } as const;
  const store = await openDiskStore(location);
  return { store, partials: await openPartialUploads(location, store) };
}

const note = (bucketName: string, objectName: string): string =>
  JSON.stringify({ metadata: { bucketName, objectName } });

test.each([
  [note('box', 'interview/1/a'), true],
  [note('box', 'interview/1/'), true],
  [note('box', 'interview/10/a'), false],
  [note('other', 'interview/1/a'), false],
  [note('box', 'x/interview/1/a'), false],
  ['', false],
  ['{', false],
  ['null', false],
  ['{"metadata":{"bucketName":"box"}}', false],
])('The note %s leads to the names: %s', (given, leads) => {
  expect(leadsTo(given, { bucket: 'box', prefix: 'interview/1/' })).toBe(leads);
});

test('Makes a complete upload a file of the store, repeatably', async () => {
  const { store, partials } = await open();
  await partials.datastore.create(new Upload({ id: VERSION, offset: 0, size: 10 }));
  expect(await partials.datastore.write(Readable.from([Buffer.from('01234')]), VERSION, 0)).toBe(5);
  expect(await partials.datastore.write(Readable.from([Buffer.from('56789')]), VERSION, 5)).toBe(10);
  await partials.publish(VERSION);
  await partials.publish(VERSION);
  await partials.forget(VERSION);
  expect(await text(await store.get(storeKey(VERSION)))).toBe('0123456789');
  expect(await readdir(path.join(folder, 'resumable'))).toEqual([]);
});

describe('Flushes of a large upload while its next parts arrive', () => {
  const PART = Buffer.alloc(10 * 1024 * 1024, 'x');

  async function spyOnFlush() {
    const handle = await openFile(path.join(folder, 'probe'), 'w');
    await handle.close();
    return vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, 'datasync');
  }

  async function writeParts(count: number) {
    const { store, partials } = await open();
    await partials.datastore.create(new Upload({ id: VERSION, offset: 0, size: count * PART.length }));
    for (let index = 0; index < count; index += 1)
      await partials.datastore.write(Readable.from([PART]), VERSION, index * PART.length);
    return { store, partials };
  }

  test('Flushes once for 16 MiB, and the bytes are those that arrived', async () => {
    const flush = await spyOnFlush();
    const { store, partials } = await writeParts(3);
    await partials.publish(VERSION);
    expect(flush).toHaveBeenCalledOnce();
    const stored = await buffer(await store.get(storeKey(VERSION)));
    expect(stored.equals(Buffer.concat([PART, PART, PART]))).toBe(true);
  });

  test('An upload that lost bytes becomes no file and is gone', async () => {
    const flush = await spyOnFlush();
    flush.mockRejectedValueOnce(Object.assign(new Error('lost'), { code: 'EIO' }));
    const { store, partials } = await writeParts(2);
    await expect(partials.publish(VERSION)).rejects.toMatchObject({ code: 'EIO' });
    await expect(partials.datastore.getUpload(VERSION)).rejects.toThrow('could not be flushed');
    await expect(partials.datastore.getUpload(VERSION)).rejects.toMatchObject({ status_code: 404 });
    await expect(store.get(storeKey(VERSION))).rejects.toBeInstanceOf(MissingFileError);
    expect(await readdir(path.join(folder, 'resumable'))).toEqual([]);
  });
});

test('Sees a size that another server was told later', async () => {
  const { partials } = await open();
  const other = await open();
  await partials.datastore.create(new Upload({ id: VERSION, offset: 0 }));
  expect(await partials.datastore.getUpload(VERSION)).toMatchObject({ offset: 0, size: undefined });
  await other.partials.datastore.declareUploadLength(VERSION, 5);
  expect(await partials.datastore.getUpload(VERSION)).toMatchObject({ size: 5 });
});

test('Sees an upload whose size is being noted, at each step of that', async () => {
  const { partials } = await open();
  await partials.datastore.create(new Upload({ id: VERSION, offset: 0, size: 5 }));
  // Each remembers a note that it has read.
  const others = await Promise.all(Array.from({ length: 80 }, () => open()));
  for (const [at, other] of others.entries()) {
    const noted = partials.datastore.declareUploadLength(VERSION, 5);
    for (let step = 0; step < at % 8; step += 1) await stat(folder);
    expect(await other.partials.datastore.getUpload(VERSION)).toMatchObject({ size: 5 });
    await noted;
  }
});

test('Sees an upload that another server removed', async () => {
  const { partials } = await open();
  const other = await open();
  await partials.datastore.create(new Upload({ id: VERSION, offset: 0, size: 5 }));
  await partials.datastore.getUpload(VERSION);
  await other.partials.datastore.remove(VERSION);
  await expect(partials.datastore.getUpload(VERSION)).rejects.toMatchObject({ status_code: 410 });
});

test('Opens nothing where the folder cannot be made', async () => {
  await writeFile(path.join(folder, 'resumable'), 'a file where the folder should be');
  await expect(open()).rejects.toMatchObject({ code: 'EEXIST' });
});

test('Removes the uploads to a prefix only, also where a crash left one file of two', async () => {
  const { partials } = await open();
  const resumable = path.join(folder, 'resumable');
  await writeFile(path.join(resumable, VERSION), 'bytes');
  await writeFile(path.join(resumable, `${VERSION}.json`), note('box', 'a/1'));
  await writeFile(path.join(resumable, 'lost.json'), note('box', 'a/2'));
  await writeFile(path.join(resumable, OTHER), 'bytes');
  await writeFile(path.join(resumable, `${OTHER}.json`), note('box', 'b/1'));
  await partials.removeUploadsTo({ bucket: 'box', prefix: 'a/' });
  expect((await readdir(resumable)).toSorted()).toEqual([OTHER, `${OTHER}.json`]);
});

test('Removes uploads that have expired, also while another server does, and what a crash left of them', async () => {
  const { partials } = await open();
  const other = await open();
  const resumable = path.join(folder, 'resumable');
  const begin = (id: string, creation_date: string) =>
    partials.datastore.create(new Upload({ id, offset: 0, size: 5, creation_date }));
  for (let count = 0; count < 20; count += 1) await begin(randomUUID(), '2026-01-02T03:04:05.678Z');
  await begin(VERSION, new Date().toISOString());
  await begin(OTHER, '2026-01-02T03:04:05.678Z');
  await rm(path.join(resumable, OTHER));
  await Promise.all([partials.removeExpired(), other.partials.removeExpired()]);
  expect((await readdir(resumable)).toSorted()).toEqual([VERSION, `${VERSION}.json`]);
});

test('Writes nothing to a full disk (threat 10)', async () => {
  const { partials } = await open(Number.MAX_SAFE_INTEGER);
  await expect(partials.requireSpace(1)).rejects.toBeInstanceOf(StoreFullError);
  await partials.datastore.create(new Upload({ id: VERSION, offset: 0, size: 1 }));
  const write = partials.datastore.write(Readable.from([Buffer.from('x')]), VERSION, 0);
  await expect(write).rejects.toBeInstanceOf(StoreFullError);
});
