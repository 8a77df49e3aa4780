import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * An address that is known before the server behind it is there: other services have to be told where to send people
 * back.
 */
export type FrontDoor = Readonly<{ url: string; leadTo: (target: string) => void; stop: () => Promise<void> }>;

export async function openFrontDoor(): Promise<FrontDoor> {
  const sockets = new Set<Socket>();
  let port = 0;
  const server = createServer((browser) => {
    const behind = connect(port, '127.0.0.1');
    for (const socket of [browser, behind]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    browser.on('close', () => behind.destroy());
    behind.on('close', () => browser.destroy());
    browser.pipe(behind);
    behind.pipe(browser);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (target) => void (port = Number(new URL(target).port)),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
