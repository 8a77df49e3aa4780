import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, Socket } from 'node:net';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Connections, openClient, openConnections } from './connections.ts';

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

describe('An outage during which the clock of the machine is set', () => {
  const HOUR_MS = 3_600_000;
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  /** Sets the clock at the first attempt; later ones are answered where `recovers`. */
  async function connect(setMs: number, reconnectTimeoutMs: number, recovers: boolean): Promise<string> {
    const server = createServer((socket) => {
      if (!first && recovers) return answer(socket);
      if (first) vi.setSystemTime(Date.now() + setMs);
      first = false;
      socket.on('error', () => undefined).destroy();
    });
    let first = true;
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `postgres://owner:secret@127.0.0.1:${(server.address() as AddressInfo).port}/name`;
    const connections = openConnections({ url, max: 1, reconnectTimeoutMs, onError: vi.fn() });
    const outcome = await connections.acquire().then(
      (client) => {
        client.release();
        return 'connected';
      },
      () => 'given up',
    );
    await connections.end();
    server.close();
    return outcome;
  }

  test('forward is waited out', async () => {
    expect(await connect(HOUR_MS, 60_000, true)).toBe('connected');
  });

  test('back is waited for no longer', async () => {
    expect(await connect(-HOUR_MS, 50, false)).toBe('given up');
  });
});

describe('Connections of a pool', () => {
  const asked: Socket[] = [];
  let server: Server;
  let connections: Connections;
  beforeEach(async () => {
    asked.length = 0;
    server = createServer((socket) => void socket.on('error', vi.fn()).once('data', () => asked.push(socket)));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const url = `postgres://owner:secret@127.0.0.1:${port}/name`;
    connections = openConnections({ url, max: 10, reconnectTimeoutMs: 0, onError: vi.fn() });
  });
  afterEach(() => void server.close());

  /** The connection that is asked for as the `nth`, from 1 on. */
  const askedFor = (nth: number): Promise<Socket> => vi.waitUntil(() => asked[nth - 1]);
  const open = async (): Promise<pg.PoolClient> => {
    const client = connections.acquire();
    (await askedFor(1)).write(STARTED);
    return client;
  };

  test('are opened one at a time; who waits takes the first that is free', async () => {
    const first = await open();
    const [a, b, c] = [connections.acquire(), connections.acquire(), connections.acquire()];
    const second = await askedFor(2);
    first.release();
    expect((await a) === first).toBe(true);
    expect(asked).toHaveLength(2);
    second.write(STARTED);
    const opened = await b;
    expect(opened === first).toBe(false);
    // One still waits, so a third is opened; it takes what comes first.
    const third = await askedFor(3);
    opened.release();
    expect((await c) === opened).toBe(true);
    third.write(STARTED);
    for (const client of await Promise.all([a, c])) client.release();
    await connections.end();
  });

  test('that cannot be opened keep nobody waiting', async () => {
    const first = await open();
    const waiting = Promise.allSettled([connections.acquire(), connections.acquire()]);
    server.on('connection', (socket: Socket) => socket.destroy());
    expect((await waiting).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    first.release();
    await connections.end();
  });
});
