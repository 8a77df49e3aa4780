import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createBucket,
  createObject,
  createSqlError,
  openFakeService,
  USER,
  type Query,
} from '#tests/support/storage-fakes.ts';
import type { Bucket } from '../bucket.ts';
import { openDiskStore } from '../stores/disk.ts';
import { openPartialUploads } from './open-partial-uploads.ts';

const TUS = { ...USER, 'tus-resumable': '1.0.0' };
const BYTES = { ...TUS, 'content-type': 'application/offset+octet-stream' };

let folder: string;
let close: (() => Promise<void>) | undefined;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'smca-tus-'));
});
afterEach(async () => {
  await close?.();
  close = undefined;
  await rm(folder, { recursive: true, force: true });
});

/** The service on a disk. `refuse` answers the check of the permission, `finished` the size of a finished object. */
async function open(bucket: Partial<Bucket> = {}) {
  const state: {
    refusal?: Error;
    /** The refusal from the moment an upload is admitted. */
    lateRefusal?: Error;
    failure?: Error;
    finished?: number | Error;
    unreleased?: Error;
    reserved: unknown[];
    released: unknown[];
    inserts: Query[];
  } = { reserved: [], released: [], inserts: [] };
  const answer = (query: Query): object[] | Error => {
    const { sql, context } = query;
    if (sql.includes('from storage.buckets')) return [createBucket(bucket)];
    if (sql.includes(`as size from storage.objects`)) {
      if (state.finished instanceof Error) return state.finished;
      return state.finished === undefined ? [] : [{ size: String(state.finished) }];
    }
    if (sql.startsWith('insert into storage.objects')) {
      if (context !== undefined) return state.refusal ?? [];
      if (state.failure !== undefined) return state.failure;
      state.inserts.push(query);
      return [createObject()];
    }
    if (sql.startsWith('insert into _backend.partial_uploads')) {
      state.reserved.push(query.values[0]);
      if (state.lateRefusal !== undefined) state.refusal = state.lateRefusal;
    }
    if (sql.startsWith('delete from _backend.partial_uploads')) {
      if (state.unreleased !== undefined) return state.unreleased;
      state.released.push(...query.values);
    }
    return /upload_locks|delete from _backend/.test(sql) ? [{ wanted: false }] : [];
  };
  const location = { kind: 'disk', folder, minimumFree: 0 } as const;
  const store = await openDiskStore(location);
  const partials = await openPartialUploads(location, store);
  const { app, warnings } = await openFakeService({ answer, store, partials });
  await app.listen({ port: 0, host: '127.0.0.1' });
  close = () => app.close();
  const origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const send = (method: string, url: string, headers: Record<string, string>, body?: string | ReadableStream) =>
    fetch(`${origin}${url.replace('https://test/storage/v1', '')}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    });
  return { send, state, warnings };
}

type Send = Awaited<ReturnType<typeof open>>['send'];

function encodeMetadata(metadata: Record<string, string>): string {
  return Object.entries(metadata)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

const METADATA = { bucketName: 'box', objectName: 'dir/a.txt', contentType: 'text/plain', cacheControl: '60' };

function create(
  send: Send,
  length: number,
  metadata: Record<string, string> = METADATA,
  headers = {},
): Promise<Response> {
  const sent = { ...TUS, 'upload-length': String(length), 'upload-metadata': encodeMetadata(metadata), ...headers };
  return send('POST', '/upload/resumable', sent);
}

function listFiles(): Promise<string[]> {
  return readdir(path.join(folder, 'objects'), { recursive: true });
}

test('Tells what it speaks (contract §3.3)', async () => {
  const { send } = await open();
  const answer = await send('OPTIONS', '/upload/resumable', { 'tus-resumable': '1.0.0' });
  expect(answer.status).toBe(204);
  expect(answer.headers.get('tus-version')).toBe('1.0.0');
  expect(answer.headers.get('tus-max-size')).toBe('1000');
  expect(answer.headers.get('tus-extension')).toContain('creation');
});

test('Names an upload by bucket, object and version (contract §3.3)', async () => {
  const { send } = await open();
  const created = await create(send, 10);
  const location = created.headers.get('location') ?? '';
  expect([created.status, location.startsWith('https://test/storage/v1/upload/resumable/')]).toEqual([201, true]);
  const address = Buffer.from(location.split('/').at(-1) ?? '', 'base64url').toString();
  expect(address).toMatch(/^box\/dir\/a\.txt\/[\da-f]{8}-[\da-f-]{27}$/);
});

test('Takes bytes at their offset and makes the object at the last one (contract §3.3)', async () => {
  const { send, state } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  const first = await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, '01234');
  expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '5']);
  const asked = await send('HEAD', url, TUS);
  expect([asked.headers.get('upload-offset'), asked.headers.get('upload-length')]).toEqual(['5', '10']);
  expect([state.inserts.length, (await listFiles()).length]).toEqual([0, 0]);
  const last = await send('PATCH', url, { ...BYTES, 'upload-offset': '5' }, '56789');
  expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '10']);
  expect(JSON.parse(String(state.inserts[0]?.values[4]))).toMatchObject({
    size: 10,
    mimetype: 'text/plain',
    cacheControl: 'max-age=60',
  });
  expect(await listFiles()).toHaveLength(2);
});

test.each([
  ['60', 'max-age=60'],
  ['-1', 'max-age=-1'],
  ['12345678901', 'max-age=12345678901'],
  ['max-age=60', 'no-cache'],
  ['1.5', 'no-cache'],
  [undefined, 'no-cache'],
])('Notes the cache time %j as %s and shows the client its own metadata (contract §3.3)', async (given, shown) => {
  const { send, state } = await open();
  const { cacheControl: _cacheControl, ...others } = METADATA;
  const metadata = given === undefined ? others : { ...others, cacheControl: given };
  const url = (await create(send, 5, metadata, { 'x-upsert': 'true' })).headers.get('location') ?? '';
  const asked = await send('HEAD', url, TUS);
  expect(asked.headers.get('upload-metadata')).toBe(encodeMetadata({ ...others, cacheControl: shown }));
  await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, '01234');
  expect(JSON.parse(String(state.inserts[0]?.values[4]))).toMatchObject({ cacheControl: shown });
});

const stream = (text: string): ReadableStream => new Blob([text]).stream();

test('The bytes of a part of known length do not pass the web streams of the library (decision 0345)', async () => {
  const { send } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  const converted = vi.spyOn(Readable, 'toWeb');
  const first = await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, '01234');
  expect([first.status, first.headers.get('upload-offset'), converted.mock.calls.length]).toEqual([204, '5', 0]);
  converted.mockRestore();
});

test('Takes a part of unknown length, but no more bytes than the upload has (contract §3.3)', async () => {
  const { send } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  const first = await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, stream('01234'));
  expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '5']);
  const tooMany = await send('PATCH', url, { ...BYTES, 'upload-offset': '5' }, stream('56789+'));
  expect(tooMany.status).toBe(413);
  const last = await send('PATCH', url, { ...BYTES, 'upload-offset': '5' }, stream('56789'));
  expect([last.status, last.headers.get('upload-offset')]).toEqual([204, '10']);
});

test('Refuses a part that says it is longer than the rest of the upload (contract §3.3)', async () => {
  const { send } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  expect((await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, '0123456789+')).status).toBe(413);
  expect((await send('HEAD', url, TUS)).headers.get('upload-offset')).toBe('0');
});

test.each([
  ['3', 409],
  ['11', 409],
  ['-1', 400],
  ['x', 400],
])('Refuses bytes at the offset %s with %d (contract §3.3)', async (offset, status) => {
  const { send } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, '01234');
  expect((await send('PATCH', url, { ...BYTES, 'upload-offset': offset }, '56789')).status).toBe(status);
  expect((await send('HEAD', url, TUS)).headers.get('upload-offset')).toBe('5');
});

test.each([
  ['without a version of the protocol', 412, USER],
  ['without an offset', 403, BYTES],
  ['of another content type', 400, { ...TUS, 'upload-offset': '0', 'content-type': 'text/plain' }],
])('Refuses bytes %s with %d', async (_case, status, headers) => {
  const { send } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  expect((await send('PATCH', url, headers, '01234')).status).toBe(status);
});

test.each([
  ['more than the service takes', 1_001, METADATA, {}, 413, 'Maximum size exceeded'],
  ['more than the bucket takes', 11, METADATA, { file_size_limit: '10' }, 413, 'Maximum size exceeded'],
  ['a type that the bucket forbids', 1, METADATA, { allowed_mime_types: ['image/*'] }, 415, 'text/plain'],
  ['a malformed name', 1, { ...METADATA, objectName: 'ä' }, {}, 400, 'Invalid key: ä'],
  ['no name', 1, { bucketName: 'box' }, {}, 400, 'Metadata header is required'],
  ['metadata that is a list', 1, { ...METADATA, metadata: '[1]' }, {}, 400, 'Invalid metadata'],
] as const)('Begins no upload of %s (contract §3.3)', async (_case, length, metadata, bucket, status, message) => {
  const { send } = await open(bucket as Partial<Bucket>);
  const answer = await create(send, length, metadata);
  expect(answer.status).toBe(status);
  expect(await answer.text()).toContain(message);
});

test('Checks the permission at each request, not only at the first', async () => {
  const { send, state } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  state.refusal = createSqlError('42501', 'new row violates row-level security policy');
  expect((await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, '01234')).status).toBe(403);
  expect((await send('HEAD', url, TUS)).status).toBe(403);
  expect((await create(send, 10)).status).toBe(403);
});

test('Leaves nothing of an upload whose destination is erased once it is admitted', async () => {
  const { send, state } = await open();
  state.lateRefusal = createSqlError('42501', 'new row violates row-level security policy');
  expect((await create(send, 10)).status).toBe(403);
  expect(await readdir(path.join(folder, 'resumable'))).toEqual([]);
  expect([state.reserved.length, state.released]).toEqual([1, state.reserved]);
});

test('Counts no upload whose files cannot be created', async () => {
  const { send, state } = await open();
  await rm(path.join(folder, 'resumable'), { recursive: true });
  await writeFile(path.join(folder, 'resumable'), 'a file where the folder should be');
  expect((await create(send, 10)).status).toBe(500);
  expect([state.reserved.length, state.released]).toEqual([1, state.reserved]);
});

test('Tells a client that lost the last answer that all bytes arrived (contract §3.3)', async () => {
  const { send, state } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  state.finished = 10;
  const asked = await send('HEAD', url, TUS);
  expect([asked.status, asked.headers.get('upload-offset'), asked.headers.get('upload-length')]).toEqual([
    200,
    '10',
    '10',
  ]);
  expect((await send('PATCH', url, { ...BYTES, 'upload-offset': '5' }, '56789')).status).toBe(409);
});

test('Answers about an upload that may be complete while the database is out of reach', async () => {
  const { send, state } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  await send('DELETE', url, TUS);
  state.finished = new Error('Connection terminated unexpectedly');
  const answer = await send('PATCH', url, { ...BYTES, 'upload-offset': '5' }, '56789');
  expect([answer.status, await answer.text()]).toEqual([503, 'The database does not answer']);
  const streamed = await send('PATCH', url, { ...BYTES, 'upload-offset': '5' }, stream('56789'));
  expect(streamed.status).toBe(503);
});

test('Finishes an upload whose last step failed at the next request, and does not remove it', async () => {
  const { send, state, warnings } = await open();
  const url = (await create(send, 5)).headers.get('location') ?? '';
  state.failure = new Error('Connection terminated unexpectedly');
  expect((await send('PATCH', url, { ...BYTES, 'upload-offset': '0' }, '01234')).status).toBe(503);
  expect(warnings).toMatchObject([[{ cause: { message: 'Connection terminated unexpectedly' } }, expect.any(String)]]);
  delete state.failure;
  const removed = await send('DELETE', url, TUS);
  expect([removed.status, await removed.text(), state.inserts.length]).toEqual([400, 'The upload is complete', 0]);
  expect((await send('HEAD', url, TUS)).headers.get('upload-offset')).toBe('5');
  expect(state.inserts).toHaveLength(1);
});

test('Ends an upload at DELETE, and knows none that is not there', async () => {
  const { send } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  expect((await send('DELETE', url, TUS)).status).toBe(204);
  expect((await send('HEAD', url, TUS)).status).toBe(404);
  for (const address of ['x', Buffer.from('box/a/../../etc').toString('base64url')])
    expect((await send('HEAD', `/upload/resumable/${address}`, TUS)).status).toBe(404);
  expect(await readdir(path.join(folder, 'resumable'))).toEqual([]);
});

test('Counts an upload no more whose removal once failed after its bytes were gone', async () => {
  const { send, state } = await open();
  const url = (await create(send, 10)).headers.get('location') ?? '';
  state.unreleased = new Error('Connection terminated unexpectedly');
  expect((await send('DELETE', url, TUS)).status).toBe(503);
  delete state.unreleased;
  expect((await send('DELETE', url, TUS)).status).toBe(404);
  const address = Buffer.from(url.split('/').at(-1) ?? '', 'base64url').toString();
  expect(state.released).toEqual([address.split('/').at(-1)]);
});

test('Requires a credential, or the token of a signed URL', async () => {
  const { send } = await open();
  expect((await send('POST', '/upload/resumable', { 'tus-resumable': '1.0.0' })).status).toBe(400);
  const forged = await create((method, _url, headers) => send(method, '/upload/resumable/sign', headers), 1, METADATA, {
    'x-signature': 'forged',
  });
  expect(forged.status).toBe(400);
  const unsigned = await send('POST', '/upload/resumable/sign', { ...TUS, 'upload-length': '1' });
  expect([unsigned.status, await unsigned.text()]).toEqual([400, 'Missing x-signature header']);
});
