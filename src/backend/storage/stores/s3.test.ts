import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { createServer as createSocketServer, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openS3Reader, openS3Store } from './s3.ts';
import { MissingFileError, StoreUnavailableError, type ObjectStore, type S3Location } from './object-store.ts';

type Reply = Readonly<{ status?: number; body?: string; headers?: Record<string, string> }>;
type Received = Readonly<{ method: string; url: string; range: string | undefined; copies: unknown; body: string }>;

let server: Server;
let store: ObjectStore;
let location: S3Location;
let reply: (request: IncomingMessage) => Reply;
const received: Received[] = [];

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const body = await text(request);
  received.push({ method, url, range: headers.range, copies: headers['x-amz-copy-source'], body });
  const { status = 200, body: answer = '', headers: sent = {} } = reply(request);
  response.writeHead(status, { 'content-type': 'application/xml', connection: 'close', ...sent }).end(answer);
}

/** An S3 server that answers each request from `reply`. */
beforeAll(async () => {
  server = createServer((request, response) => {
    void serve(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  location = {
    kind: 's3',
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-central-1',
    bucket: 'files',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    forcePathStyle: true,
  };
  store = openS3Store(location);
});
beforeEach(() => {
  received.length = 0;
  reply = () => ({});
});
afterAll(async () => {
  await store.close();
  server.close();
});

const KEY = 'ab/ab000000-0000-4000-8000-000000000000';
const buildError = (code: string): string => `<Error><Code>${code}</Code><Message>m</Message></Error>`;

test('Puts a small file in one request and answers size and md5', async () => {
  const stored = await store.put(KEY, Readable.from([Buffer.from('Hallo '), Buffer.from('Welt')]), 'text/plain');
  expect(stored).toEqual({ size: 10, md5: '5c372a32c9ae748a4c040ebadc51a829' });
  expect(received).toMatchObject([{ method: 'PUT', url: `/files/${KEY}?x-id=PutObject`, body: 'Hallo Welt' }]);
});

test.each([
  [undefined, undefined],
  [{ start: 0, end: 0 }, 'bytes=0-0'],
  [{ start: 5, end: 9 }, 'bytes=5-9'],
])('Gets the range %j as %j', async (range, header) => {
  reply = () => ({ body: 'content' });
  expect(await text(await store.get(KEY, range))).toBe('content');
  expect(received[0]?.range).toBe(header);
});

test.each([
  ['a missing file', { status: 404, body: buildError('NoSuchKey') }, MissingFileError],
  ['a refusal', { status: 403, body: buildError('AccessDenied') }, StoreUnavailableError],
  ['a missing bucket', { status: 404, body: buildError('NoSuchBucket') }, StoreUnavailableError],
  ['an answer that is no XML', { status: 502, body: 'Bad Gateway' }, StoreUnavailableError],
])('Answers %s with its own error', async (_case, answer, kind) => {
  reply = () => answer;
  await expect(store.get(KEY)).rejects.toBeInstanceOf(kind);
});

test('Copies within the bucket, and reports a missing source', async () => {
  reply = () => ({ body: '<CopyObjectResult><ETag>"e"</ETag></CopyObjectResult>' });
  await store.copy(KEY, 'cd/other');
  expect(received[0]).toMatchObject({ method: 'PUT', copies: `files/${KEY}` });
  reply = () => ({ status: 404, body: buildError('NoSuchKey') });
  await expect(store.copy(KEY, 'cd/other')).rejects.toBeInstanceOf(MissingFileError);
});

const buildFailures = (...codes: string[]): string =>
  `<DeleteResult>${codes.map((code) => `<Error><Key>k</Key><Code>${code}</Code></Error>`).join('')}</DeleteResult>`;

test('Removes a thousand files at once, and no more', async () => {
  reply = () => ({ body: buildFailures() });
  await store.remove(Array.from({ length: 1_001 }, (_none, at) => `key-${at}`));
  expect(received.map(({ body }) => body.match(/<Key>/g)?.length)).toEqual([1_000, 1]);
  received.length = 0;
  await store.remove([]);
  expect(received).toEqual([]);
});

test('Ignores a file that is gone, but no other failure of a removal', async () => {
  reply = () => ({ body: buildFailures('NoSuchKey') });
  await expect(store.remove([KEY])).resolves.toBeUndefined();
  reply = () => ({ body: buildFailures('NoSuchKey', 'AccessDenied') });
  await expect(store.remove([KEY])).rejects.toThrow('AccessDenied');
  reply = () => ({ status: 403, body: buildError('AccessDenied') });
  await expect(store.remove([KEY])).rejects.toBeInstanceOf(StoreUnavailableError);
});

test('Rejects with the content’s own error and stores nothing', async () => {
  const content = Readable.from(
    (async function* () {
      yield Buffer.from('half');
      throw new Error('broken');
    })(),
  );
  await expect(store.put(KEY, content, 'text/plain')).rejects.toThrow('broken');
  expect(received).toEqual([]);
});

test('Sends nothing before it is ready', async () => {
  const ready = Promise.withResolvers<undefined>();
  const stored = store.put(KEY, Readable.from([Buffer.from('x')]), 'x', { ready: ready.promise });
  await store.ping();
  expect(received.map(({ method }) => method)).toEqual(['HEAD']);
  ready.resolve(undefined);
  await stored;
  expect(received.map(({ method }) => method)).toEqual(['HEAD', 'PUT']);
  const refused = Promise.reject(new Error('not registered'));
  await expect(store.put(KEY, Readable.from(['x']), 'x', { ready: refused })).rejects.toThrow('not registered');
  expect(received).toHaveLength(2);
});

test('Reports a store that refuses an upload or does not answer', async () => {
  reply = () => ({ status: 403, body: buildError('AccessDenied') });
  const put = (): Promise<unknown> => store.put(KEY, Readable.from([Buffer.from('x')]), 'x');
  await expect(put()).rejects.toBeInstanceOf(StoreUnavailableError);
  const closed = openS3Store({ ...location, endpoint: 'http://127.0.0.1:1' });
  await expect(closed.get(KEY)).rejects.toBeInstanceOf(StoreUnavailableError);
  await closed.close();
});

test('Gives up a store that takes a request and never answers', async ({ signal }) => {
  const silent = createSocketServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const hanging = openS3Store({ ...location, endpoint: `http://127.0.0.1:${port}` });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let outcome: unknown;
    void hanging.remove([KEY]).catch((error: unknown) => (outcome = error));
    while (outcome === undefined && !signal.aborted) {
      await new Promise((resolve) => setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(outcome).toBeInstanceOf(StoreUnavailableError);
  } finally {
    vi.useRealTimers();
    await hanging.close();
    silent.close();
  }
});

test('Reads the rest of a file for a backup, with its length', async () => {
  reply = () => ({ body: 'rest', headers: { 'content-length': '4' } });
  const reader = openS3Reader(location);
  const { bytes, content } = await reader.open(KEY, { start: 6 });
  expect([bytes, await text(content), received[0]?.range]).toEqual([4, 'rest', 'bytes=6-']);
  await reader.close();
});
