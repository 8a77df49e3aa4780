import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

export type ReservedPort = Readonly<{
  port: number;
  release: () => Promise<void>;
}>;

/**
 * A port of this machine that no other process gets until `release`. Nothing listens on it, but a server that is given
 * its number may do so, and again after a restart.
 *
 * One end of a connection holds it. That end is bound before it connects: a port that the system chooses while
 * connecting may be given to connections of others as well, and then no server can have it.
 */
export async function reservePort(): Promise<ReservedPort> {
  const anchor = createServer((socket) => void socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1');
  await once(anchor, 'listening');
  const { port: anchorPort } = anchor.address() as AddressInfo;
  const end = connect({ port: anchorPort, host: '127.0.0.1', localAddress: '127.0.0.1' });
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
