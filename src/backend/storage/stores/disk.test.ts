import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MissingFileError, type ObjectStore, StoreFullError, storeKey } from './object-store.ts';
import { openDiskStore } from './disk.ts';

const KEY = storeKey('ab000000-0000-4000-8000-000000000000');
const OTHER = storeKey('cd000000-0000-4000-8000-000000000000');

let folder: string;
let store: ObjectStore;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-disk-'));
  store = await openDiskStore({ folder, minimumFree: 0 });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function text(key: string, range?: { start: number; end: number }): Promise<string> {
  return Buffer.concat(await (await store.get(key, range)).toArray()).toString();
}

async function names(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('put answers size and md5; get whole and in parts', async () => {
  const stored = await store.put(KEY, Readable.from([Buffer.from('Hallo '), Buffer.from('Welt')]), 'text/plain');
  expect(stored).toEqual({ size: 10, md5: createHash('md5').update('Hallo Welt').digest('hex') });
  expect([await text(KEY), await text(KEY, { start: 6, end: 9 })]).toEqual(['Hallo Welt', 'Welt']);
});

test('content that breaks leaves nothing and rejects with its error', async () => {
  const broken = Readable.from(
    (async function* () {
      yield Buffer.from('half');
      throw new Error('broken');
    })(),
  );
  await expect(store.put(KEY, broken, 'x')).rejects.toThrow('broken');
  expect(await names()).toEqual([]);
  await expect(store.get(KEY)).rejects.toBeInstanceOf(MissingFileError);
});

test('takes the bytes before it is ready, and shows the file after that', async () => {
  const ready = Promise.withResolvers<undefined>();
  const content = Readable.from([Buffer.from('x')]);
  const read = once(content, 'end');
  const stored = store.put(KEY, content, 'x', { ready: ready.promise });
  await read;
  await expect(store.get(KEY)).rejects.toBeInstanceOf(MissingFileError);
  ready.resolve(undefined);
  await stored;
  expect(await text(KEY)).toBe('x');
});

test('never ready leaves nothing and rejects with its error', async () => {
  const refused = Promise.reject(new Error('not registered'));
  refused.catch(() => undefined);
  await expect(store.put(KEY, Readable.from([Buffer.from('x')]), 'x', { ready: refused })).rejects.toThrow(
    'not registered',
  );
  expect(await names()).toEqual([]);
});

test('content that was destroyed before is no file', async () => {
  const gone = new Readable({ read: () => undefined });
  gone.on('error', () => undefined);
  gone.destroy(new Error('gone'));
  await expect(store.put(KEY, gone, 'x')).rejects.toThrow();
  expect(await names()).toEqual([]);
});

test('too little space is StoreFullError and leaves nothing', async () => {
  const full = await openDiskStore({ folder, minimumFree: Number.MAX_SAFE_INTEGER });
  await expect(full.put(KEY, Readable.from([Buffer.from('x')]), 'x')).rejects.toBeInstanceOf(StoreFullError);
  expect(await names()).toEqual([]);
});

test('a copy outlives what it was made of; copying nothing is MissingFileError', async () => {
  await store.put(KEY, Readable.from([Buffer.from('x')]), 'x');
  await store.copy(KEY, OTHER);
  await store.remove([KEY, KEY]);
  expect(await text(OTHER)).toBe('x');
  await expect(store.copy(KEY, OTHER)).rejects.toBeInstanceOf(MissingFileError);
});

test('an open download goes on while its file is removed', async () => {
  await store.put(KEY, Readable.from([Buffer.alloc(1_000_000, 'x')]), 'x');
  const reading = await store.get(KEY);
  await store.remove([KEY]);
  expect(Buffer.concat(await reading.toArray())).toHaveLength(1_000_000);
});

test('threat 17: only uuids become paths', () => {
  for (const version of ['', '..', '../../etc/passwd', 'AB000000-0000-4000-8000-000000000000', `${KEY}/..`]) {
    expect(() => storeKey(version)).toThrow(MissingFileError);
  }
});

test('ping fails where the folder is gone', async () => {
  await store.ping();
  await rm(folder, { recursive: true });
  await expect(store.ping()).rejects.toThrow();
});
