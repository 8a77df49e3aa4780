import { once } from 'node:events';
import { createServer, type AddressInfo, Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openClient, openConnections } from './connections.ts';

const STARTED = Buffer.from('R\0\0\0\u0008\0\0\0\0Z\0\0\0\u0005I', 'latin1');
const TERMINATE = 0x58;
const FIELDS = 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0';

/** PostgreSQL's ErrorResponse to a backend that is told to end. */
function terminated(): Buffer {
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeInt32BE(4 + FIELDS.length, 1);
  return Buffer.concat([head, Buffer.from(FIELDS)]);
}

/** Lets everybody in, and ends each connection that is being closed as a PostgreSQL does that stops meanwhile. */
function answer(socket: Socket): void {
  let isOpen = false;
  socket.on('error', () => undefined);
  socket.on('data', (packet) => {
    if (packet[0] === TERMINATE) socket.end(terminated());
    else if (!isOpen) socket.write(STARTED);
    isOpen = true;
  });
}

test('a PostgreSQL that stops while connections are being closed is no loss', async () => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const losses: string[] = [];
  const connections = openConnections({
    url: `postgres://owner:secret@127.0.0.1:${port}/name`,
    max: 1,
    reconnectTimeoutMs: 0,
    onError: (error) => losses.push(error.message),
  });
  const client = await connections.acquire();
  // `once` would reject at the error.
  const ended = new Promise((resolve) => client.once('end', resolve));
  client.release();
  await connections.end();
  await ended;
  server.close();
  expect(losses).toEqual([]);
});

test.each([
  [
    'of a pool',
    (url: string) => openConnections({ url, max: 1, reconnectTimeoutMs: 0, onError: vi.fn() }).acquireNow(),
  ],
  ['of its own', (url: string) => openClient(url)],
])('a connection %s asks soon whether a silent database is still there', async (_, connect) => {
  const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asks = vi.spyOn(Socket.prototype, 'setKeepAlive');
  await expect(connect(`postgres://owner:secret@127.0.0.1:${port}/name`)).rejects.toThrow();
  expect(asks).toHaveBeenCalledWith(true, 10_000);
  asks.mockRestore();
  server.close();
});
