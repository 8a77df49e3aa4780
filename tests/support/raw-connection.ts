import { once } from 'node:events';
import { connect } from 'node:net';

/** A connection without a client behind it, for requests that no client finishes. */
export type RawConnection = Readonly<{
  write: (text: string | Uint8Array) => void;
  received: () => string;
  /** Resolves once the answer holds the text; rejects where the connection ends before. */
  until: (text: string) => Promise<void>;
  /** Resolves with the whole answer once the other side has ended the connection. */
  closed: Promise<string>;
  /** Reads nothing more until `resume`. */
  pause: () => void;
  /** Reads on; where `bytes` are given, until as many have come. */
  resume: (bytes?: number) => void;
  destroy: () => void;
}>;

export async function openConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = '';
  let pauseAt = Infinity;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    if (received.length >= pauseAt) socket.pause();
  });
  // A reset is an end like any other; `once` would reject with it.
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.once('close', () => resolve(received));
  });
  const until = async (text: string): Promise<void> => {
    while (!received.includes(text)) {
      if (socket.closed) throw new Error(`closed after: ${received}`);
      await new Promise<void>((resolve) => {
        socket.once('data', () => resolve());
        void closed.then(() => resolve());
      });
    }
  };
  await once(socket, 'connect');
  return {
    write: (text) => void socket.write(text),
    received: () => received,
    until,
    closed,
    pause: () => void socket.pause(),
    resume: (bytes = Infinity) => {
      pauseAt = received.length + bytes;
      socket.resume();
    },
    destroy: () => void socket.destroy(),
  };
}

/** Opens a connection and writes the lines of a request's head with the empty line behind them. */
export async function openRequest(url: string, lines: readonly string[], body = ''): Promise<RawConnection> {
  const connection = await openConnection(url);
  connection.write(`${[...lines, `Host: ${new URL(url).host}`].join('\r\n')}\r\n\r\n${body}`);
  return connection;
}

export const WEB_SOCKET_HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
] as const;
