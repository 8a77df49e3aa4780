import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { parseHeaderMetadata, parseMetadata, readBody } from './body.ts';

const TYPE = 'multipart/form-data; boundary=B';

function createRequest(headers: Record<string, string>, body: string): IncomingMessage {
  const stream = new PassThrough();
  stream.end(body);
  return Object.assign(stream, { headers, complete: true }) as unknown as IncomingMessage;
}

type Part = Readonly<{ name: string; value: string; file?: string; type?: string }>;

function buildForm(parts: readonly Part[]): string {
  const shown = parts.map(({ name, value, file, type }) => {
    const disposition = `Content-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}`;
    return `--B\r\n${disposition}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n${value}\r\n`;
  });
  return `${shown.join('')}--B--\r\n`;
}

const FILE = { name: '', file: 'blob', type: 'image/png', value: 'bytes' };

test.each([
  [[FILE], { type: 'image/png', cacheControl: 'no-cache', userMetadata: undefined }],
  [[{ ...FILE, name: 'whatever' }], { type: 'image/png' }],
  [[{ name: 'cacheControl', value: '3600' }, FILE], { cacheControl: 'max-age=3600' }],
  [[{ name: 'metadata', value: '{"a":1}' }, FILE], { userMetadata: { a: 1 } }],
  [[{ name: 'userMetadata', value: '{"a":1}' }, FILE], { userMetadata: { a: 1 } }],
  [
    [{ name: 'userMetadata', value: '{"a":1}' }, { name: 'metadata', value: '{"b":2}' }, FILE],
    { userMetadata: { b: 2 } },
  ],
  [[{ name: 'metadata', value: '{bad' }, FILE], { userMetadata: undefined }],
  [[{ name: 'contentType', value: 'audio/webm' }, FILE], { type: 'audio/webm' }],
])('Reads the form %j (contract §3.2)', async (parts, expected) => {
  const body = await readBody(createRequest({ 'content-type': TYPE }, buildForm(parts)));
  // The parser of forms passes on memory that it uses again.
  expect(body).toMatchObject({ ...expected, declaredBytes: undefined, ownsChunks: false });
  expect(await text(body.content)).toBe('bytes');
});

test.each([
  ['without a file', TYPE, buildForm([{ name: 'cacheControl', value: '1' }]), 'No content provided'],
  ['without a boundary', 'multipart/form-data', buildForm([FILE]), 'Malformed multipart body'],
  ['that ends early', TYPE, '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\nva', 'Malformed multipart body'],
  ['with wrong metadata', TYPE, buildForm([{ name: 'metadata', value: '[7]' }, FILE]), 'Invalid metadata'],
  ['with a broken cache time', TYPE, buildForm([{ name: 'cacheControl', value: 'ä' }, FILE]), 'Invalid cache control'],
])('Refuses a form %s (contract §3.1)', async (_case, type, body, message) => {
  const request = createRequest({ 'content-type': type }, body);
  await expect(readBody(request)).rejects.toMatchObject({ code: 'InvalidRequest', message });
});

test('Fails a file that the form cuts off', async () => {
  const body = await readBody(createRequest({ 'content-type': TYPE }, buildForm([FILE]).slice(0, -12)));
  await expect(text(body.content)).rejects.toMatchObject({ code: 'InvalidRequest' });
});

/** A request whose form has arrived whole, and the client's end of its connection. */
async function sendForm(): Promise<Readonly<{ request: IncomingMessage; client: Socket }>> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const arrived = once(server, 'request');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const form = buildForm([FILE]);
  const head = ['POST / HTTP/1.1', 'host: x', `content-type: ${TYPE}`, `content-length: ${form.length}`];
  client.write(`${head.join('\r\n')}\r\n\r\n${form}`);
  const [request] = (await arrived) as [IncomingMessage];
  return { request, client };
}

test('Refuses a form whose client has gone before it is read', async () => {
  const { request, client } = await sendForm();
  await expect.poll(() => request.complete).toBe(true);
  client.destroy();
  await expect.poll(() => request.closed).toBe(true);
  await expect(readBody(request)).rejects.toMatchObject({ code: 'Aborted' });
});

test.each([
  [{}, { type: 'application/octet-stream', cacheControl: 'no-cache', declaredBytes: undefined }],
  [{ 'content-length': '5' }, { declaredBytes: 5 }],
  [
    { 'content-type': 'Text/Plain', 'cache-control': 'max-age=1' },
    { type: 'Text/Plain', cacheControl: 'max-age=1' },
  ],
])('Reads the headers %j (contract §3.2)', async (headers, expected) => {
  const body = await readBody(createRequest(headers, 'bytes'));
  expect(body).toMatchObject(expected);
  expect(await text(body.content)).toBe('bytes');
});

test.each([
  ['', undefined],
  ['{', undefined],
  ['{"a":1}', { a: 1 }],
  ['null', {}],
  ['7', {}],
  ['true', {}],
])('Reads the metadata %j as %j, as upstream does (contract §3.2)', (given, metadata) => {
  expect(parseMetadata(given)).toEqual(metadata);
});

const nest = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;

test('Refuses metadata that is nested more than 100 levels deep', () => {
  expect(parseMetadata(nest(100))).toEqual(JSON.parse(nest(100)));
  for (const levels of [101, 3_000, 100_000]) expect(() => parseMetadata(nest(levels))).toThrow('Invalid metadata');
  expect(() => parseMetadata(`{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`)).toThrow('Invalid metadata');
});

test.each(['"a"', '[]', '{"a":"\\u0000"}'])('Refuses the metadata %j', (given) => {
  expect(() => parseMetadata(given)).toThrow('Invalid metadata');
});

test('Reads metadata from the header, in base64', () => {
  expect(parseHeaderMetadata({})).toBeUndefined();
  expect(parseHeaderMetadata({ 'x-metadata': 'notbase64json' })).toBeUndefined();
  expect(parseHeaderMetadata({ 'x-metadata': Buffer.from('{"ä":1}').toString('base64') })).toEqual({ ä: 1 });
});
