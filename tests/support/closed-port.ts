import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

export type ClosedPort = Readonly<{
  port: number;
  /** Lets a server have the port. */
  release: () => Promise<void>;
}>;

/** A port on which nothing listens, and which no other process gets: it is one end of a connection. */
export async function holdClosedPort(): Promise<ClosedPort> {
  const anchor = createServer((socket) => void socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1');
  await once(anchor, 'listening');
  const end = connect((anchor.address() as AddressInfo).port, '127.0.0.1');
  await once(end, 'connect');
  const { localPort } = end;
  if (localPort === undefined) throw new Error('no port');
  return {
    port: localPort,
    release: async () => {
      const closed = [once(end, 'close'), once(anchor, 'close')];
      // A reset: an orderly end would keep the port for a while.
      end.resetAndDestroy();
      anchor.close();
      await Promise.all(closed);
    },
  };
}
