import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openDiskStore } from '../stores/disk.ts';
import { StoreFullError } from '../stores/object-store.ts';
import {
  createBucket,
  createMemoryStore,
  createObject,
  createSqlError,
  openFakeService,
  USER,
  USER_ID,
  VERSION,
  type FakeOptions,
  type Query,
} from '#tests/support/storage-fakes.ts';

const PDF = '%PDF-1.7\n';

type Sent = Readonly<{
  method?: 'POST' | 'PUT';
  url?: string;
  headers?: Record<string, string>;
  payload?: string | Buffer;
}>;
type Options = Omit<FakeOptions, 'answer'> & { bucket?: Parameters<typeof createBucket>[0]; refusal?: Error };

/** Uploads to the bucket `box`; each object is new. */
async function send(sent: Sent, { bucket, refusal, ...options }: Options = {}) {
  const answer = ({ sql, context }: Query): object[] | Error => {
    if (/from storage\.buckets/.test(sql)) return [createBucket(bucket)];
    if (sql.startsWith('insert into storage.objects')) return context && refusal ? refusal : [createObject()];
    return /delete from _backend/.test(sql) ? [{}] : [];
  };
  const memory = createMemoryStore();
  const { app, queries } = await openFakeService({ store: memory.store, ...options, answer });
  const headers = { ...USER, 'content-type': 'text/plain', ...sent.headers };
  const { method = 'POST', url = '/object/box/a.txt', payload = 'hello' } = sent;
  const response = await app.inject({ method, url, headers, payload });
  const [dryRun, insert] = queries.filter(({ sql }) => sql.startsWith('insert into storage.objects'));
  return { status: response.statusCode, body: response.json(), files: memory.files, queries, dryRun, insert };
}

function readMetadata(query: Query | undefined): Record<string, unknown> {
  return JSON.parse(String(query?.values[4])) as Record<string, unknown>;
}

test('Stores a body with type, cache time and digest (contract §3.2)', async () => {
  const { status, body, files, insert } = await send({ headers: { 'cache-control': 'max-age=60' } });
  expect([status, body]).toEqual([200, { Key: 'box/a.txt', Id: createObject().id }]);
  expect([...files.values()].map(String)).toEqual(['hello']);
  const md5 = createHash('md5').update('hello').digest('hex');
  expect(readMetadata(insert)).toMatchObject({
    eTag: `"${md5}"`,
    size: 5,
    contentLength: 5,
    mimetype: 'text/plain',
    cacheControl: 'max-age=60',
    httpStatusCode: 200,
  });
  expect(insert?.values.slice(0, 4)).toEqual(['box', 'a.txt', USER_ID, USER_ID]);
});

test('Asks row-level security with the caller’s rights before it reads a byte', async () => {
  const { dryRun, insert, queries } = await send({});
  expect(dryRun?.context).toMatchObject({ role: 'authenticated', claims: { sub: USER_ID } });
  expect(dryRun?.values.at(-1)).toBe('1');
  expect(readMetadata(dryRun)).toEqual({ mimetype: 'text/plain', contentLength: 5 });
  expect(insert?.context).toBeUndefined();
  const registered = queries.findIndex(({ sql }) => sql.startsWith('insert into _backend'));
  expect(queries.findIndex((query) => query === dryRun)).toBeLessThan(registered);
});

test.each([
  ['POST', {}, false, 'storage.object.upload'],
  ['POST', { 'x-upsert': 'true' }, true, 'storage.object.upload'],
  ['POST', { 'x-upsert': 'TRUE' }, false, 'storage.object.upload'],
  ['PUT', {}, true, 'storage.object.upload_update'],
] as const)('%s with %j replaces an object: %s (contract §3.2)', async (method, headers, replaces, operation) => {
  const { dryRun, insert } = await send({ method, headers });
  expect(dryRun?.sql.includes('do update')).toBe(replaces);
  expect(insert?.sql.includes('do update')).toBe(replaces);
  expect(dryRun?.context?.settings).toMatchObject({ 'storage.operation': operation });
});

test.each([
  ['a policy', createSqlError('42501', 'row-level security policy'), 'AccessDenied'],
  ['an existing object', createSqlError('23505'), 'KeyAlreadyExists'],
])('Stores nothing where %s refuses', async (_case, refusal, code) => {
  const { status, body, files, queries } = await send({}, { refusal });
  expect([status, body.code, files.size]).toEqual([400, code, 0]);
  expect(queries.some(({ sql }) => sql.startsWith('insert into _backend'))).toBe(false);
});

const LIMIT = [{ bucket: 'box', types: ['application/pdf'], bytes: 4 }];

test.each([
  ['above the service’s limit', { payload: 'x'.repeat(1_001) }, {}, 'EntityTooLarge'],
  ['above the bucket’s limit', { payload: 'x'.repeat(11) }, { bucket: { file_size_limit: '10' } }, 'EntityTooLarge'],
  [
    'above its type’s limit',
    { payload: PDF, headers: { 'content-type': 'application/pdf' } },
    { rules: { typeLimits: LIMIT } },
    'EntityTooLarge',
  ],
  [
    'above the limit of its real type',
    { payload: PDF, headers: { 'content-type': 'image/png' } },
    { rules: { typeLimits: LIMIT } },
    'EntityTooLarge',
  ],
  ['of a forbidden type', {}, { bucket: { allowed_mime_types: ['image/*'] } }, 'InvalidMimeType'],
  [
    'whose real type is forbidden',
    { payload: PDF, headers: { 'content-type': 'image/png' } },
    { bucket: { allowed_mime_types: ['image/png'] } },
    'InvalidMimeType',
  ],
  ['of a type too long', { headers: { 'content-type': `text/plain; a=${'x'.repeat(256)}` } }, {}, 'InvalidMimeType'],
  ['with a malformed name', { url: '/object/box/%C3%BC' }, {}, 'InvalidKey'],
  ['with a long cache time', { headers: { 'cache-control': 'x'.repeat(201) } }, {}, 'InvalidRequest'],
  ['with metadata that is a list', { headers: { 'x-metadata': btoa('[1]') } }, {}, 'InvalidRequest'],
  ['with a NUL in its metadata', { headers: { 'x-metadata': btoa('{"a":"\\u0000"}') } }, {}, 'InvalidRequest'],
] as const)('Refuses a file %s and leaves nothing (contract §3.1)', async (_case, sent, options, code) => {
  const { status, body, insert, queries } = await send(sent, options as Options);
  expect([status, body.code]).toEqual([400, code]);
  expect(insert).toBeUndefined();
  const registered = queries.filter(({ sql }) => sql.startsWith('insert into _backend')).length;
  const abandoned = queries.filter(({ sql }) => /set removable_from = now\(\) where version/.test(sql)).length;
  expect(abandoned).toBe(registered);
});

test('Marks a picture that is something unknown, and keeps it (threat 8)', async () => {
  const { status, insert } = await send({ headers: { 'content-type': 'image/png' } });
  expect(status).toBe(200);
  expect(readMetadata(insert)).toMatchObject({ mimetype: 'image/png', detectedType: 'application/octet-stream' });
});

test('Keeps the caller’s metadata beside the object (contract §3.2)', async () => {
  const { insert } = await send({ headers: { 'x-metadata': btoa('{"a":{"b":1}}') } });
  expect(insert?.values[5]).toBe('{"a":{"b":1}}');
});

test.each([
  ['{bad', 'as JSON', {}],
  ['notbase64json', 'as base64', { 'x-metadata': 'notbase64json' }],
])('Stores a file whose metadata %j cannot be read %s, without them (contract §3.2)', async (text, _as, given) => {
  const { status, dryRun, insert } = await send({ headers: { 'x-metadata': btoa(text), ...given } });
  expect([status, dryRun?.values[5], insert?.values[5]]).toEqual([200, null, '{}']);
});

test('Refuses an upload for which the disk has no space (threat 10)', async () => {
  const requireSpace = async (): Promise<void> => Promise.reject(new StoreFullError());
  const { status, body, insert } = await send({}, { store: createMemoryStore({ requireSpace }).store });
  expect([status, body.code, insert]).toEqual([507, 'InsufficientStorage', undefined]);
});

test('Finds the object where the answer to its commit was lost', async () => {
  let tries = 0;
  const { app } = await openFakeService({
    answer: ({ sql, context }) => {
      if (/from storage\.buckets/.test(sql)) return [createBucket()];
      if (/delete from _backend/.test(sql)) return [{}];
      if (sql.endsWith('where version = $1')) return [createObject({ version: VERSION })];
      if (sql.startsWith('insert into storage.objects') && context === undefined)
        return tries++ === 0 ? new Error('Connection terminated unexpectedly') : [];
      return [];
    },
  });
  const headers = { ...USER, 'content-type': 'text/plain' };
  const response = await app.inject({ method: 'POST', url: '/object/box/a.txt', headers, payload: 'hello' });
  expect([response.statusCode, response.json().Id]).toEqual([200, createObject().id]);
});

test('Leaves the memory of a body that comes from within the process (decision 0219)', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'smca-upload-'));
  const store = await openDiskStore({ folder, minimumFree: 0 });
  const payload = Buffer.alloc(600, 'x');
  expect((await send({ payload }, { store })).status).toBe(200);
  expect(payload.toString()).toBe('x'.repeat(600));
  await rm(folder, { recursive: true });
});
