import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { reservePort } from './reserved-port.ts';

test('Lets a server have its port, again after a restart, and refuses connections meanwhile', async () => {
  const { port, release } = await reservePort();
  const tryToConnect = (): Promise<unknown> =>
    new Promise((resolve) => {
      const client = connect(port, '127.0.0.1').once('error', resolve);
      client.once('connect', () => resolve(client.destroy().remotePort));
    });
  for (let start = 0; start < 2; start += 1) {
    expect(await tryToConnect()).toMatchObject({ code: 'ECONNREFUSED' });
    const server = createServer((socket) => socket.end()).listen(port, '127.0.0.1');
    await once(server, 'listening');
    const client = connect(port, '127.0.0.1').resume();
    await once(client, 'close');
    server.close();
    await once(server, 'close');
  }
  await release();
});

// Elsewhere a port of connections is free for a server.
test.runIf(process.platform === 'linux')('No connection of others gets a reserved port', async () => {
  const reserved = await Promise.all(Array.from({ length: 60 }, reservePort));
  const ports = new Set(reserved.map(({ port }) => port));
  const server = createServer((socket) => void socket.on('error', () => socket.destroy())).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const shared: number[] = [];
  // A fifth of all ports that the system chooses from.
  for (let made = 0; made < 3_000; made += 1) {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(client, 'connect');
    if (ports.has(client.localPort ?? 0)) shared.push(made);
    client.resetAndDestroy();
    await once(client, 'close');
  }
  server.close();
  await Promise.all(reserved.map(({ release }) => release()));
  expect(shared).toEqual([]);
});
