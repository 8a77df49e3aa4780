import { expect, test } from 'vitest';
import {
  createBucket,
  createMemoryStore,
  createObject,
  openFakeService,
  USER,
  USER_ID,
  VERSION,
  type Query,
} from '#tests/support/storage-fakes.ts';
import type { Bucket } from '../bucket.ts';
import type { StorageRules } from '../deps.ts';
import { storeKey } from '../stores/object-store.ts';

const OBJECT = createObject({
  metadata: { eTag: '"tag"', size: 10, mimetype: 'text/plain', cacheControl: 'max-age=60', detectedType: 'image/png' },
  user_metadata: { a: 1 },
});

/** Moves or copies `box/a.txt`; `target` is the destination's bucket. */
async function post(
  url: string,
  payload: object,
  target: Partial<Bucket> = {},
  headers: Record<string, string> = {},
  updated: readonly object[] = [{}],
  rules: Partial<StorageRules> = {},
) {
  const { store, files } = createMemoryStore();
  files.set(storeKey(VERSION), Buffer.from('0123456789'));
  const answer = ({ sql }: Query): readonly object[] => {
    if (/from storage\.buckets/.test(sql)) return [createBucket(target)];
    if (/^select .* from storage\.objects/.test(sql)) return [OBJECT];
    if (sql.startsWith('insert into storage.objects')) return [createObject({ id: 'copy' })];
    return /^update storage\.objects|delete from _backend/.test(sql) ? updated : [];
  };
  const { app, queries } = await openFakeService({ store, answer, rules });
  const body = { bucketId: 'box', sourceKey: 'a.txt', destinationKey: 'b.txt', ...payload };
  const response = await app.inject({ method: 'POST', url, headers: { ...USER, ...headers }, payload: body });
  return { status: response.statusCode, body: response.json(), queries, files };
}

test('Moves by changing the row alone (contract §3.2)', async () => {
  const { status, body, queries, files } = await post('/object/move', {});
  expect([status, body]).toEqual([200, { message: 'Successfully moved' }]);
  expect(queries.at(-1)?.values).toEqual(['box', 'a.txt', 'box', 'b.txt', USER_ID, USER_ID]);
  expect(queries.at(-1)?.context).toMatchObject({ role: 'authenticated' });
  expect(files.size).toBe(1);
});

test('Moves nothing that the caller may not change', async () => {
  expect((await post('/object/move', {}, {}, {}, [])).body.code).toBe('NoSuchKey');
});

test('Copies bytes and metadata to a new version (contract §3.2)', async () => {
  const { status, body, queries, files } = await post('/object/copy', {});
  expect([status, body.Key, body.Id]).toEqual([200, 'box/b.txt', 'copy']);
  expect([...files.values()].map(String)).toEqual(['0123456789', '0123456789']);
  const [dryRun, insert] = queries.filter(({ sql }) => sql.startsWith('insert into storage.objects'));
  expect(dryRun?.context).toMatchObject({ role: 'authenticated' });
  expect(JSON.parse(String(insert?.values[4]))).toMatchObject({
    eTag: '"tag"',
    size: 10,
    mimetype: 'text/plain',
    cacheControl: 'max-age=60',
    detectedType: 'image/png',
  });
  expect(insert?.values[5]).toBe('{"a":1}');
  expect(insert?.sql).toContain('do nothing');
});

test('Copies the bytes that replace the source in between, and misses only what is gone', async () => {
  const OTHER = 'ef000000-0000-4000-8000-000000000000';
  const copyOf = async (...found: readonly object[]) => {
    const { store, files } = createMemoryStore();
    files.set(storeKey(OTHER), Buffer.from('other'));
    const left = [...found];
    const answer = ({ sql }: Query): readonly object[] => {
      if (/from storage\.buckets/.test(sql)) return [createBucket()];
      if (sql.includes('from storage.objects where bucket_id')) return left.length > 1 ? left.splice(0, 1) : left;
      return /^insert into storage\.objects|delete from _backend/.test(sql) ? [createObject()] : [];
    };
    const { app, queries } = await openFakeService({ store, answer });
    const payload = { bucketId: 'box', sourceKey: 'a.txt', destinationKey: 'b.txt' };
    const response = await app.inject({ method: 'POST', url: '/object/copy', headers: USER, payload });
    const insert = queries.findLast(({ sql }) => sql.startsWith('insert into storage.objects'));
    return { status: response.statusCode, body: response.json(), files, insert };
  };
  const replaced = createObject({ version: OTHER, metadata: { eTag: '"other"', size: 5, mimetype: 'text/plain' } });
  const { status, files, insert } = await copyOf(OBJECT, replaced);
  expect([status, [...files.values()].map(String)]).toEqual([200, ['other', 'other']]);
  expect(JSON.parse(String(insert?.values[4]))).toMatchObject({ eTag: '"other"', size: 5 });
  expect((await copyOf(OBJECT)).body.code).toBe('NoSuchKey');
});

test('Replaces type, cache time and metadata of the copy where asked', async () => {
  const change = { copyMetadata: false, metadata: { mimetype: 'image/gif', cacheControl: 'no-store' } };
  const headers = { 'x-metadata': btoa('{"b":2}'), 'x-upsert': 'true' };
  const { queries } = await post('/object/copy', change, {}, headers);
  const insert = queries.findLast(({ sql }) => sql.startsWith('insert into storage.objects'));
  expect(JSON.parse(String(insert?.values[4]))).toMatchObject({ mimetype: 'image/gif', cacheControl: 'no-store' });
  expect(insert?.values[5]).toBe('{"b":2}');
  expect(insert?.sql).toContain('do update');
});

test.each(['/object/move', '/object/copy'])('%s keeps the limits of another bucket (contract §3.1)', async (url) => {
  const to = { destinationBucket: 'other' };
  expect((await post(url, to, { id: 'other', file_size_limit: '9' })).body.code).toBe('EntityTooLarge');
  expect((await post(url, to, { id: 'other', allowed_mime_types: ['image/*'] })).body.code).toBe('InvalidMimeType');
  // Within one bucket a limit that came later does not hold.
  expect((await post(url, {}, { file_size_limit: '9' })).status).toBe(200);
});

test('Notes the real type of a copy of another type where the bucket takes all (threat 3)', async () => {
  const copyAs = async (mimetype: string): Promise<unknown> => {
    const { queries } = await post('/object/copy', { copyMetadata: false, metadata: { mimetype } });
    const insert = queries.findLast(({ sql }) => sql.startsWith('insert into storage.objects'));
    return JSON.parse(String(insert?.values[4]))['detectedType'];
  };
  expect(await copyAs('image/gif')).toBe('application/octet-stream');
  expect(await copyAs('text/plain')).toBe('image/png');
  expect(await copyAs('text/markdown')).toBeUndefined();
});

test.each(['/object/move', '/object/copy'])(
  '%s keeps the limits by type of another bucket (contract §3.1)',
  async (url) => {
    const rules = { typeLimits: [{ bucket: 'other', types: ['text/*'], bytes: 9 }] };
    const { body } = await post(url, { destinationBucket: 'other' }, { id: 'other' }, {}, [{}], rules);
    expect(body.code).toBe('EntityTooLarge');
  },
);

test('Copies into no type that the bucket forbids', async () => {
  const change = { copyMetadata: false, metadata: { mimetype: 'text/html' } };
  const { body, files } = await post('/object/copy', change, { allowed_mime_types: ['text/plain'] });
  expect([body.code, files.size]).toEqual(['InvalidMimeType', 1]);
});

test.each([
  [{ destinationKey: 'ä' }, 'InvalidKey'],
  [{ destinationKey: '' }, 'InvalidKey'],
  [{ sourceKey: 'ä' }, 'InvalidKey'],
  [{ destinationKey: undefined }, 'InvalidRequest'],
  [{ bucketId: {} }, 'InvalidRequest'],
])('Refuses the body %j with %s', async (change, code) => {
  for (const url of ['/object/move', '/object/copy']) expect((await post(url, change)).body.code).toBe(code);
});
