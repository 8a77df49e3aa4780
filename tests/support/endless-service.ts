import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What the service sends: `head` once, then `again` until the reader goes away, or the bound of the test is reached.
 */
export type Endless = Readonly<{ status?: number; type?: string; head?: string; again: string }>;

/** A loopback service that answers every request without end. */
export type EndlessService = Readonly<{
  url: string;
  answer: (endless: Endless) => void;
  requests: () => number;
  /** Bytes handed to the newest connection. */
  sent: () => number;
  /**
   * Resolves with `'reader'` once the reader of the newest answer has gone, with `'bound'` where it took everything.
   */
  ended: () => Promise<'reader' | 'bound'>;
  stop: () => Promise<void>;
}>;

/** Far beyond every limit, and small enough for a test that fails. */
const BOUND = 64 * 1024 * 1024;
/** What sockets of both sides may hold of an answer that nobody reads any more. */
export const IN_FLIGHT = 16 * 1024 * 1024;
const PIECE = 64 * 1024;

export async function startEndlessService(): Promise<EndlessService> {
  let endless: Endless = { again: ' ' };
  let requests = 0;
  let sent = 0;
  let ended: Promise<'reader' | 'bound'> = new Promise(() => undefined);
  const server = createServer((request, response) => {
    request.on('error', () => undefined).resume();
    requests += 1;
    sent = 0;
    ended = pour(response, endless, (bytes) => (sent += bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (next) => void (endless = next),
    requests: () => requests,
    sent: () => sent,
    ended: () => ended,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function pour(
  response: ServerResponse,
  { status = 200, type = 'application/json', head = '', again }: Endless,
  count: (bytes: number) => number,
): Promise<'reader' | 'bound'> {
  const closed = new Promise<'reader'>((resolve) => void response.once('close', () => resolve('reader')));
  response.on('error', () => undefined);
  response.writeHead(status, { 'content-type': type });
  const piece = again.repeat(Math.ceil(PIECE / again.length));
  let isTaken = response.write(head);
  while (!response.destroyed) {
    if (!isTaken && (await Promise.race([once(response, 'drain'), closed])) === 'reader') break;
    if (count(piece.length) > BOUND) {
      response.destroy();
      return 'bound';
    }
    isTaken = response.write(piece);
  }
  return 'reader';
}
