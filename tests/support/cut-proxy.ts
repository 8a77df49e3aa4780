import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a browser and the server and breaks conversations of the voice agent, and only those. */
export type CutProxy = Readonly<{
  url: string;
  /** Cuts every running conversation without a word. */
  cut: () => void;
  /**
   * The next conversation is cut after so many bytes from the server, its handshake included; in the middle of a frame.
   * Resolves once that has happened.
   */
  cutNextAfter: (bytes: number) => Promise<void>;
  /** The next upgrade is never answered. */
  hangNext: () => void;
  stop: () => Promise<void>;
}>;

const CONVERSATION = 'GET /v1/convai/conversation';

export async function startCutProxy(target: string): Promise<CutProxy> {
  const { hostname, port } = new URL(target);
  const all = new Set<Socket>();
  const lines = new Set<Socket>();
  let allowed = Infinity;
  let onCut: (() => void) | undefined;
  const remember = (socket: Socket, where: Set<Socket>): void => {
    where.add(socket);
    socket.on('close', () => where.delete(socket));
  };
  const server = createServer((browser) => {
    const upstream = connect(Number(port), hostname);
    for (const socket of [browser, upstream]) {
      remember(socket, all);
      socket.on('error', () => undefined);
    }
    browser.on('close', () => upstream.destroy());
    upstream.on('close', () => browser.destroy());
    browser.once('data', (head) => {
      const conversation = head.toString('latin1').startsWith(CONVERSATION);
      if (conversation) remember(browser, lines);
      const left = conversation ? allowed : Infinity;
      if (conversation) {
        allowed = Infinity;
        if (onCut !== undefined) browser.once('close', onCut);
        onCut = undefined;
      }
      if (left === 0) return;
      upstream.write(head);
      browser.pipe(upstream);
      forward(upstream, browser, left);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => lines.forEach((line) => line.destroy()),
    cutNextAfter: (bytes) => {
      allowed = Math.max(1, bytes);
      return new Promise((resolve) => (onCut = resolve));
    },
    hangNext: () => void (allowed = 0),
    stop: async () => {
      for (const socket of all) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function forward(from: Socket, to: Socket, most: number): void {
  let left = most;
  from.on('data', (bytes) => {
    if (left <= 0) return;
    const part = bytes.subarray(0, Math.min(bytes.length, left));
    left -= part.length;
    to.write(part, () => {
      if (left <= 0) to.destroy();
    });
  });
}
