import { createHash } from 'node:crypto';
import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { unbroken } from './unbroken.ts';

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

describe('desk: a file on its way', () => {
  it.each<[string, () => Promise<IncomingMessage>, Buffer]>([
    ['whole', () => giving(BYTES, TAG), BYTES],
    ['empty', () => giving(Buffer.alloc(0), '"d41d8cd98f00b204e9800998ecf8427e"'), Buffer.alloc(0)],
    ['without a known sum', () => giving(DAMAGED, `"${'0'.repeat(32)}-1"`), DAMAGED],
    ['a part, whatever it is', () => giving(DAMAGED, TAG, 206), DAMAGED],
  ])('%s: arrives as it is', async (_name, file, expected) => {
    const faults: string[] = [];
    expect(await buffer(unbroken(await file(), (fault) => faults.push(fault)))).toEqual(expected);
    expect(faults).toEqual([]);
  });

  it.each<[string, () => Promise<IncomingMessage>, string]>([
    ['damaged', () => giving(DAMAGED, TAG), 'damaged'],
    [
      'broken off by the store',
      () =>
        stored(
          (_, reply) =>
            void reply
              .writeHead(200, { etag: TAG, 'content-length': BYTES.length })
              .write(DAMAGED.subarray(0, 70_000), () => reply.destroy()),
        ),
      'short',
    ],
  ])('%s: is told, and never arrives to its end', async (_name, file, expected) => {
    const faults: string[] = [];
    const pieces: Buffer[] = [];
    const taken = (async () => {
      for await (const piece of unbroken(await file(), (fault) => faults.push(fault))) pieces.push(piece as Buffer);
    })();
    await expect(taken).rejects.toThrow(expected);
    expect(faults).toEqual([expected]);
    expect(Buffer.concat(pieces).length).toBeLessThan(BYTES.length);
  });
});
