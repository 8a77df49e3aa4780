import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import fastify from 'fastify';
import { freeChunk, ownsChunks } from './body-memory.ts';

test('Gives the memory of a chunk back at once', () => {
  const chunk = Buffer.alloc(10, 'x');
  const { buffer } = chunk;
  freeChunk(chunk);
  expect([chunk.length, buffer.byteLength]).toEqual([0, 0]);
});

test('Leaves memory that a chunk shares with others', () => {
  const whole = Buffer.alloc(10, 'x');
  for (const chunk of [whole.subarray(0, 9), whole.subarray(1), Buffer.from(new SharedArrayBuffer(10))]) {
    const { length } = chunk;
    freeChunk(chunk);
    expect([chunk.length, whole.toString()]).toEqual([length, 'x'.repeat(10)]);
  }
});

test('The chunks of a connection have memory of their own that belongs to their reader', async () => {
  const answerRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks = (await request.toArray()) as Buffer[];
    const whole = chunks.every(({ buffer, byteLength }) => buffer.byteLength === byteLength);
    response.end(JSON.stringify({ whole, owns: ownsChunks(request) }));
  };
  const server = createServer((request, response) => void answerRequest(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: Buffer.alloc(100_000, 'x') });
  expect(await answer.json()).toEqual({ whole: true, owns: true });
  server.close();
});

test('A request within the process brings memory of its sender (decision 0219)', async () => {
  const app = fastify();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.post('/', async ({ raw }) => ({ owns: ownsChunks(raw) }));
  const answer = await app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'x/y' }, payload: 'x' });
  expect(answer.json()).toEqual({ owns: false });
});
