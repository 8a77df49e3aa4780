import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { createMemoryStore, createObject } from '#tests/support/storage-fakes.ts';
import type { StoredObject } from '../object.ts';
import { MissingFileError, storeKey, type ObjectStore } from '../stores/object-store.ts';
import { serveObject } from './serve.ts';

const TEXT = '0123456789';
const OTHER = 'cd000000-0000-4000-8000-000000000000';
const object = createObject();

type RequestOptions = { method?: 'GET' | 'HEAD'; store?: ObjectStore; found?: readonly StoredObject[] };

/** Serves the objects that `find` returns one after the other. */
async function request(
  headers: Record<string, string>,
  { method = 'GET', store = filledStore(), found = [object] }: RequestOptions = {},
) {
  const app = fastify();
  const left = [...found];
  const find = async (): Promise<StoredObject> => (left.length > 1 ? left.shift() : left[0]) ?? object;
  app.route({
    method: ['GET', 'HEAD'],
    url: '/',
    exposeHeadRoute: false,
    handler: (incoming, reply) => serveObject({ store }, incoming, reply, find, { download: undefined }),
  });
  app.setErrorHandler((error: Error, _request, reply) => reply.code(599).send({ error: error.name }));
  return app.inject({ method, url: '/', headers });
}

function filledStore(overrides: Partial<ObjectStore> = {}): ObjectStore {
  const { store, files } = createMemoryStore(overrides);
  files.set(storeKey(object.version ?? ''), Buffer.from(TEXT));
  return store;
}

test.each([
  [{}, 200, TEXT, undefined],
  [{ range: 'bytes=2-4' }, 206, '234', 'bytes 2-4/10'],
  [{ range: 'bytes=-3' }, 206, '789', 'bytes 7-9/10'],
  [{ range: 'bytes=7-' }, 206, '789', 'bytes 7-9/10'],
  [{ range: 'bytes=0-0,2-3' }, 200, TEXT, undefined],
  [{ range: 'bytes=2-4', 'if-range': '"tag"' }, 206, '234', 'bytes 2-4/10'],
  [{ range: 'bytes=2-4', 'if-range': '"old"' }, 200, TEXT, undefined],
  [{ 'if-none-match': '"tag"' }, 304, '', undefined],
  [{ 'if-none-match': '"tag"', range: 'bytes=2-4' }, 304, '', undefined],
])('Answers GET %j with %d %j (RFC 9110 §14)', async (headers, status, body, contentRange) => {
  const answer = await request(headers);
  expect([answer.statusCode, answer.body]).toEqual([status, body]);
  expect(answer.headers['content-range']).toBe(contentRange);
  expect(answer.headers.etag).toBe('"tag"');
});

test.each([
  [{}, 200, '10'],
  [{ range: 'bytes=2-4' }, 206, '3'],
])('Answers HEAD %j without reading the file', async (headers, status, length) => {
  const get = async (): Promise<Readable> => Promise.reject(new Error('read'));
  const answer = await request(headers, { method: 'HEAD', store: filledStore({ get }) });
  expect([answer.statusCode, answer.headers['content-length'], answer.body]).toEqual([status, length, '']);
});

test('Answers a range outside of the file with its size alone (contract §3.1)', async () => {
  const answer = await request({ range: 'bytes=10-' });
  expect(answer.statusCode).toBe(599);
  expect(answer.headers['content-range']).toBe('bytes */10');
  for (const name of ['etag', 'last-modified', 'cache-control']) expect(answer.headers[name]).toBeUndefined();
});

test('Reads the row again where the object was replaced in between', async () => {
  const { store, files } = createMemoryStore();
  files.set(storeKey(OTHER), Buffer.from('new'));
  const replaced = createObject({ version: OTHER, metadata: { eTag: '"new"', size: 3, mimetype: 'text/plain' } });
  const answer = await request({ range: 'bytes=1-' }, { store, found: [object, replaced] });
  expect([answer.statusCode, answer.body]).toEqual([206, 'ew']);
  expect(answer.headers).toMatchObject({ etag: '"new"', 'content-range': 'bytes 1-2/3' });
});

test('Describes no object whose bytes are missing', async () => {
  const answer = await request({}, { store: createMemoryStore().store });
  expect([answer.statusCode, answer.json()]).toEqual([599, { error: new MissingFileError().name }]);
  for (const name of ['etag', 'content-disposition', 'last-modified']) expect(answer.headers[name]).toBeUndefined();
});

test('Breaks off where the store has fewer bytes than the row says', async () => {
  const get = async (): Promise<Readable> => Readable.from([Buffer.from('012')]);
  await expect(request({}, { store: filledStore({ get }) })).rejects.toThrow();
});
