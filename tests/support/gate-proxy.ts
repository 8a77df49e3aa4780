import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of a request on its way: it passes, gets no answer, or its line breaks. */
export type Fate = 'pass' | 'hang' | 'cut';

export type GateProxy = Readonly<{
  url: string;
  /** From now on this decides; `hung` resolves when the next request gets no answer. */
  decide: (fate: (method: string, url: string) => Fate) => void;
  hung: () => Promise<void>;
  stop: () => Promise<void>;
}>;

/** Stands before a server and decides about each request. */
export async function startGateProxy(target: string): Promise<GateProxy> {
  let decide: (method: string, url: string) => Fate = () => 'pass';
  let waiting = Promise.withResolvers<void>();
  const forward = (from: IncomingMessage, answer: ServerResponse): void => {
    const fate = decide(from.method ?? '', from.url ?? '');
    if (fate === 'hang') return waiting.resolve();
    if (fate === 'cut') return void from.socket.destroy();
    const onwards = request(new URL(from.url ?? '/', target), { method: from.method, headers: from.headers });
    onwards.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    onwards.on('error', () => from.socket.destroy());
    from.pipe(onwards);
  };
  const server = createServer(forward);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    decide: (next) => {
      decide = next;
      waiting = Promise.withResolvers<void>();
    },
    hung: () => waiting.promise,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
