import { connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { parseSendQueues, readSendQueues } from './send-queues.ts';

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 197 1 0000 100 0 0 10 0
   1: 0100007F:1F90 0100007F:D5A2 01 00317D00:00000000 01:00000014 00000000     0        0 198 2 0000 20 4 30 10 -1
  12: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000200007F:D5A3 01 00000001:00000000 01:00000014`;

test('Reads what waits for the other side of a connection', () => {
  const queues = parseSendQueues(TABLE);
  const of = (localPort: number, remotePort: number) => queues.of({ localPort, remotePort } as Socket).trim();
  expect(of(0x1f90, 0xd5a2)).toBe('00317D00');
  expect(of(0x1f90, 0xd5a3)).toBe('00000001');
  expect(of(0x1f90, 1)).toBe('');
});

test.runIf(process.platform === 'linux')(
  'Finds bytes that the other side of a real connection does not read',
  async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const reader = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
    const [socket] = (await once(server, 'connection')) as [Socket];
    reader.pause();
    socket.write(Buffer.alloc(64 * 1024 * 1024));
    await expect.poll(async () => Number.parseInt((await readSendQueues())?.of(socket) ?? '0', 16)).toBeGreaterThan(0);
    socket.destroy();
    reader.destroy();
    server.close();
  },
);
