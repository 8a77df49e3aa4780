import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** How the loopback service answers every call, until the other side has enough or `MOST_BYTES` are sent. */
export type EndlessAnswer = Readonly<{ type: string; head?: string; piece: string; tail?: string }>;

export type EndlessService = Readonly<{
  url: string;
  calls: () => number;
  /** MiB of the longest answer so far. */
  longest: () => number;
  stop: () => Promise<void>;
}>;

const MEBIBYTE = 1024 * 1024;
const MOST_BYTES = 1024 * MEBIBYTE;
const PIECE_BYTES = 64 * 1024;

/** Stands for transcription, voice and language model alike. */
export async function startEndlessService(answer: EndlessAnswer): Promise<EndlessService> {
  const state = { calls: 0, longest: 0 };
  const server = createServer((request, response) => {
    state.calls += 1;
    request.resume();
    request.once('end', () => void send(response, answer, state).catch(() => response.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => state.calls,
    longest: () => Math.round(state.longest / MEBIBYTE),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function send(response: ServerResponse, answer: EndlessAnswer, state: { longest: number }): Promise<void> {
  response.writeHead(200, { 'content-type': answer.type });
  await pipeline(Readable.from(producePieces(answer, state)), response);
}

function* producePieces({ head = '', piece, tail = '' }: EndlessAnswer, state: { longest: number }): Generator<Buffer> {
  const block = Buffer.from(piece.repeat(Math.ceil(PIECE_BYTES / piece.length)));
  yield Buffer.from(head);
  for (let sent = 0; sent < MOST_BYTES; sent += block.length) {
    state.longest = Math.max(state.longest, sent);
    yield block;
  }
  yield Buffer.from(tail);
}
