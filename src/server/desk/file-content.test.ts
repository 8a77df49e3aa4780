import { createHash } from 'node:crypto';
import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { streamVerified, verifyStoredFile } from './file-content.ts';

const BYTES = Buffer.alloc(200_000, 'ein Stück davon');
const TAG = `"${createHash('md5').update(BYTES).digest('hex')}"`;
const DAMAGED = Buffer.from(BYTES).fill(0, 90_000, 90_001);

let store: Server | undefined;
afterEach(() => {
  store?.close();
  store = undefined;
});

async function stored(answer: RequestListener): Promise<IncomingMessage> {
  const running = createServer(answer);
  store = running;
  await new Promise<void>((resolve) => void running.listen(0, '127.0.0.1', resolve));
  const { port } = running.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, resolve).once('error', reject);
  });
}

const giving = (content: Buffer, tag: string, status = 200) =>
  stored((_, reply) => void reply.writeHead(status, { etag: tag, 'content-length': content.length }).end(content));

describe('Desk: integrity of a download', () => {
  it.each<[string, () => Promise<IncomingMessage>, Buffer]>([
    ['a whole file', () => giving(BYTES, TAG), BYTES],
    ['an empty file', () => giving(Buffer.alloc(0), '"d41d8cd98f00b204e9800998ecf8427e"'), Buffer.alloc(0)],
    ['a file without a known checksum', () => giving(DAMAGED, `"${'0'.repeat(32)}-1"`), DAMAGED],
    ['a range', () => giving(DAMAGED, TAG, 206), DAMAGED],
  ])('Passes %s unchanged', async (_name, file, expected) => {
    const damages: string[] = [];
    expect(await buffer(streamVerified(await file(), (damage) => damages.push(damage)))).toEqual(expected);
    expect(damages).toEqual([]);
  });

  it.each<[string, () => Promise<IncomingMessage>, string]>([
    ['a damaged file', () => giving(DAMAGED, TAG), 'damaged'],
    [
      'a connection broken off by the store',
      () =>
        stored(
          (_, reply) =>
            void reply
              .writeHead(200, { etag: TAG, 'content-length': BYTES.length })
              .write(DAMAGED.subarray(0, 70_000), () => reply.destroy()),
        ),
      'short',
    ],
  ])('Reports %s and breaks off before its end', async (_name, file, expected) => {
    const damages: string[] = [];
    const pieces: Buffer[] = [];
    const taken = (async () => {
      for await (const piece of streamVerified(await file(), (damage) => damages.push(damage)))
        pieces.push(piece as Buffer);
    })();
    await expect(taken).rejects.toThrow(expected);
    expect(damages).toEqual([expected]);
    expect(Buffer.concat(pieces).length).toBeLessThan(BYTES.length);
  });
});

describe('Desk: a look at a file before its ticket', () => {
  it.each<[string, RequestListener, string]>([
    ['that is gone meanwhile', (_, reply) => void reply.writeHead(404).end(), 'file_missing'],
    ['whose store cannot be reached any more', (request) => void request.socket.destroy(), 'backend_failed'],
    ['that its store cannot read', (_, reply) => void reply.writeHead(500).end(), 'file_damaged'],
  ])('Says of a file %s what it is', async (_what, second, code) => {
    const running = createServer((request, reply) => {
      if (request.headers.range !== 'bytes=0-0') second(request, reply);
      else reply.writeHead(206, { etag: TAG, 'content-range': 'bytes 0-0/200000', 'content-length': 1 }).end('e');
    });
    store = running;
    await new Promise<void>((resolve) => void running.listen(0, '127.0.0.1', resolve));
    const { port } = running.address() as AddressInfo;
    await expect(verifyStoredFile(`http://127.0.0.1:${port}/`, {})).rejects.toMatchObject({ code });
  });
});
