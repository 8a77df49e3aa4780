import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, expect, test, vi } from 'vitest';
import { uploadParts } from './s3-upload.ts';

const PART = 5 * 1024 * 1024;

type Sent = Readonly<{ name: string; number?: number | undefined; bytes?: number; sha?: string }>;

/** A client that records its commands; `fail` answers an error for one. */
function createClient(fail: (sent: Sent) => boolean = () => false) {
  const client = new S3Client({ region: 'x' });
  const sent: Sent[] = [];
  const describe = (command: unknown): Sent => {
    if (command instanceof PutObjectCommand) return describeBytes('put', command.input.Body);
    if (command instanceof UploadPartCommand)
      return { ...describeBytes('part', command.input.Body), number: command.input.PartNumber };
    if (command instanceof CreateMultipartUploadCommand) return { name: 'create' };
    if (command instanceof CompleteMultipartUploadCommand)
      return { name: 'complete', number: command.input.MultipartUpload?.Parts?.length };
    return { name: command instanceof AbortMultipartUploadCommand ? 'abort' : 'other' };
  };
  const answer = async (command: unknown) => {
    // As over a network: the bytes are read after the caller went on, and those of a part take longer.
    await new Promise((resolve) => setImmediate(resolve));
    if (command instanceof UploadPartCommand) await new Promise((resolve) => setImmediate(resolve));
    const one = describe(command);
    sent.push(one);
    if (fail(one)) throw new Error(`${one.name} failed`);
    return { UploadId: 'id', ETag: `"${one.number}"` };
  };
  vi.spyOn(client, 'send').mockImplementation((command: unknown) => answer(command) as unknown as void);
  return { sent, target: { client, Bucket: 'b', Key: 'k', ContentType: 'text/plain' } };
}

function describeBytes(name: string, body: unknown): Sent {
  if (!Buffer.isBuffer(body)) return { name };
  return { name, bytes: body.length, sha: createHash('sha256').update(body).digest('hex') };
}

/** No two parts are equal: the pattern's length does not divide theirs. */
function createContent(length: number): Buffer {
  return Buffer.alloc(length, createHash('sha512').update('content').digest().subarray(0, 61));
}

async function* cut(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

afterEach(() => vi.restoreAllMocks());

test.each([
  [0, 1_000, [0]],
  [1, 1_000, [1]],
  [PART, 65_536, [PART]],
  [PART + 1, 65_536, [PART, 1]],
  [2 * PART, 65_536, [PART, PART]],
  [2 * PART + 7, 3 * PART, [PART, PART, 7]],
  [3 * PART + 1, PART - 1, [PART, PART, PART, 1]],
])('Sends %d bytes in chunks of %d as %j', async (length, size, parts) => {
  const { sent, target } = createClient();
  const content = createContent(length);
  await uploadParts(target, cut(content, size));
  const bodies = sent.filter(({ bytes }) => bytes !== undefined);
  expect(bodies.map(({ bytes }) => bytes)).toEqual(parts);
  let at = 0;
  for (const { bytes = 0, sha } of bodies) {
    expect(sha).toBe(describeBytes('', content.subarray(at, at + bytes)).sha);
    at += bytes;
  }
  const names = sent.map(({ name }) => name);
  expect(names).toEqual(parts.length === 1 ? ['put'] : ['create', ...parts.map(() => 'part'), 'complete']);
});

test('Names the parts in their order when it completes', async () => {
  const { sent, target } = createClient();
  await uploadParts(target, cut(createContent(2 * PART + 1), PART));
  expect(sent.flatMap(({ name, number }) => (name === 'part' ? [number] : []))).toEqual([1, 2, 3]);
  expect(sent.at(-1)).toMatchObject({ name: 'complete', number: 3 });
});

test.each([
  ['the content', () => false, 'broken'],
  ['a part', ({ name, number }: Sent) => name === 'part' && number === 1, 'part failed'],
  ['the last part', ({ name, number }: Sent) => name === 'part' && number === 3, 'part failed'],
  ['the completion', ({ name }: Sent) => name === 'complete', 'complete failed'],
  ['the abortion too', ({ name }: Sent) => ['complete', 'abort'].includes(name), 'complete failed'],
])('Aborts the upload where %s fails', async (what, fail, message) => {
  const { sent, target } = createClient(fail);
  const content = async function* (): AsyncGenerator<Buffer> {
    yield* cut(createContent(2 * PART + 1), PART);
    if (what === 'the content') throw new Error('broken');
  };
  await expect(uploadParts(target, content())).rejects.toThrow(message);
  expect(sent.at(-1)?.name).toBe('abort');
});

test('Aborts only when no part is on its way any more, as the store would keep that part', async () => {
  const { sent, target } = createClient();
  const content = async function* (): AsyncGenerator<Buffer> {
    yield createContent(PART + 1);
    throw new Error('broken');
  };
  await expect(uploadParts(target, content())).rejects.toThrow('broken');
  expect(sent.map(({ name }) => name)).toEqual(['create', 'part', 'abort']);
});

test('Begins no upload for small content that fails', async () => {
  const { sent, target } = createClient();
  const content = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('half');
    throw new Error('broken');
  };
  await expect(uploadParts(target, content())).rejects.toThrow('broken');
  expect(sent).toEqual([]);
});
