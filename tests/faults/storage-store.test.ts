import fastify, { type FastifyInstance } from 'fastify';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  DEFAULT_RULES,
  openObjectStore,
  openPartialUploads,
  storageService,
  type ObjectStore,
} from '#backend/storage/index.ts';
import { bytes, MEBIBYTE, openStage } from '#tests/support/storage.ts';

let stage: Awaited<ReturnType<typeof openStage>>;
let folder: string;
let app: FastifyInstance;
let use: (store: ObjectStore) => void;
let healthy: ObjectStore;
let url: string;

beforeAll(async () => {
  stage = await openStage('disk');
});
afterAll(() => stage.close());

/** The storage service on the stage's database and this folder. */
async function serve(store: ObjectStore, minimumFree = 0): Promise<FastifyInstance> {
  const { database, keys, config } = stage.server.backend;
  const made = fastify({ forceCloseConnections: true });
  const partials = await openPartialUploads({ kind: 'disk', folder, minimumFree }, store);
  const deps = { database, keys, config, log: made.log, publicUrl: () => '', store, partials, rules: DEFAULT_RULES };
  await made.register(storageService(deps), { prefix: '/storage/v1' });
  await made.listen({ port: 0, host: '127.0.0.1' });
  return made;
}

function getAddress({ server }: FastifyInstance): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The storage service on the stage's database, with a store that can be swapped for a failing one. */
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-store-'));
  healthy = await openObjectStore({ kind: 'disk', folder });
  let current = healthy;
  use = (store) => (current = store);
  const store: ObjectStore = {
    exclusive: true,
    requireSpace: (bytes) => current.requireSpace(bytes),
    put: (...args) => current.put(...args),
    get: (...args) => current.get(...args),
    copy: (...args) => current.copy(...args),
    remove: (...args) => current.remove(...args),
    ping: () => current.ping(),
    close: () => current.close(),
  };
  app = await serve(store);
  url = getAddress(app);
});
afterEach(async () => {
  await app.close();
  await stage.sql('delete from storage.objects');
  await stage.sql('delete from _backend.unclaimed_files');
  await rm(folder, { recursive: true, force: true });
});

const files = (): ReturnType<ReturnType<typeof createClient>['storage']['from']> =>
  createClient(url, stage.server.backend.keys.secretKey, { auth: { persistSession: false } }).storage.from('private');

async function stored(): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('disk full: 507 with a clear body, nothing left, reading goes on, and it heals by itself', async () => {
  await files().upload('before', 'readable');
  use(await openObjectStore({ kind: 'disk', folder, minimumFree: Number.MAX_SAFE_INTEGER }));
  for (const body of [bytes(MEBIBYTE), new Blob([bytes(MEBIBYTE)])]) {
    const { error } = await files().upload('during', body);
    expect(error).toMatchObject({
      status: 507,
      statusCode: '507',
      code: 'InsufficientStorage',
      message: 'The storage is full: nothing can be stored until space is made',
    });
  }
  expect(await stored()).toHaveLength(1);
  expect(await (await files().download('before')).data?.text()).toBe('readable');
  expect((await files().list()).data?.map(({ name }) => name)).toEqual(['before']);
  expect(await stage.sql('select * from _backend.unclaimed_files')).toEqual([]);
  use(healthy);
  expect((await files().upload('during', bytes(MEBIBYTE))).error).toBeNull();
});

test('disk full: refuses a resumable upload with 507, keeps its bytes, continues when there is room', async () => {
  const headers = { authorization: `Bearer ${stage.server.backend.keys.secretKey}`, 'tus-resumable': '1.0.0' };
  const meta = (text: string): string => Buffer.from(text).toString('base64');
  // What has come in lies in the folder, so another server on it goes on: this one finds the disk full.
  const full = await serve(healthy, Number.MAX_SAFE_INTEGER);
  const made = await fetch(`${url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': '6',
      'upload-metadata': `bucketName ${meta('private')},objectName ${meta('voll.bin')}`,
    },
  });
  const address = `/storage/v1/upload/resumable/${made.headers.get('location')?.split('/').at(-1)}`;
  const send = (server: string, offset: number, body: string): Promise<Response> =>
    fetch(`${server}${address}`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
      body,
    });
  expect((await send(url, 0, 'abc')).status).toBe(204);
  const refused = await send(getAddress(full), 3, 'def');
  const words = 'The storage is full: nothing can be stored until space is made';
  expect([refused.status, await refused.text()]).toEqual([507, words]);
  await full.close();
  const kept = await fetch(`${url}${address}`, { method: 'HEAD', headers });
  expect(kept.headers.get('upload-offset')).toBe('3');
  expect((await send(url, 3, 'def')).status).toBe(204);
  expect(await (await files().download('voll.bin')).data?.text()).toBe('abcdef');
});

test.each(['ENOSPC', 'EDQUOT'])('disk full: %s in the middle of the bytes is 507 and leaves nothing', async (code) => {
  use({
    ...healthy,
    put: (key, content, type) => {
      content.once('data', () => content.destroy(Object.assign(new Error('no space left on device'), { code })));
      return healthy.put(key, content, type);
    },
  });
  expect((await files().upload('a', bytes(5 * MEBIBYTE))).error).toMatchObject({
    status: 507,
    code: 'InsufficientStorage',
  });
  expect(await stored()).toEqual([]);
  expect((await files().list()).data).toEqual([]);
});

test('an error of the store that nobody knows is a 500 without its text', async () => {
  use({ ...healthy, put: () => Promise.reject(new Error('/secret/path is broken')) });
  const { error } = await files().upload('a', 'a');
  expect(error).toMatchObject({
    status: 500,
    statusCode: '500',
    code: 'InternalError',
    message: 'Internal server error',
  });
});

test('bytes that could not be removed are removed later', async () => {
  await files().upload('a', 'a');
  use({ ...healthy, remove: () => Promise.reject(new Error('not now')) });
  expect((await files().remove(['a'])).data).toHaveLength(1);
  expect(await stored()).toHaveLength(1);
  use(healthy);
  await files().upload('b', 'b', { upsert: true });
  expect(await stored()).toHaveLength(1);
  expect(await (await files().download('b')).data?.text()).toBe('b');
});

test('what a killed process left behind goes at the next start', async () => {
  const { writeFile } = await import('node:fs/promises');
  await writeFile(path.join(folder, 'incoming', 'half'), 'half');
  const version = '11111111-1111-4111-8111-111111111111';
  await stage.sql(`insert into _backend.unclaimed_files values ($1, now() + interval '1 day')`, [version]);
  const { Readable } = await import('node:stream');
  await healthy.put(`11/${version}`, Readable.from(['unclaimed']), 'text/plain');
  expect(await stored()).toHaveLength(2);
  const again = await openObjectStore({ kind: 'disk', folder });
  const second = await serve(again);
  await second.close();
  expect(await stored()).toEqual([]);
});
