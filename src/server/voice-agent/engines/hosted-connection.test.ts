import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connectHosted } from './hosted-connection.ts';

const ACCEPT_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Answers a handshake together with its first message, in one piece. */
async function startPromptService(message: string): Promise<string> {
  const server = createServer((_request, response) => {
    const { port } = server.address() as AddressInfo;
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ signed_url: `ws://127.0.0.1:${port}/` }));
  });
  server.on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${ACCEPT_SUFFIX}`).digest('base64');
    const head = [
      'HTTP/1.1 101 Switching Protocols',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Accept: ${accept}`,
      'Sec-WebSocket-Protocol: convai',
    ];
    const frame = Buffer.concat([Buffer.from([0x81, message.length]), Buffer.from(message)]);
    socket.on('error', () => socket.destroy());
    // A pong to the client's ping.
    socket.on('data', () => socket.write(Buffer.from([0x8a, 0])));
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), frame]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('Keeps a message that comes together with the handshake', async () => {
  const url = await startPromptService('{"type":"first"}');
  const socket = await connectHosted({ url, key: 'k', agents: {} }, 'agent', new AbortController().signal);
  onTestFinished(() => socket.terminate());
  const arrived = once(socket, 'message').then(([data]) => String(data));
  const ponged = once(socket, 'pong').then(() => 'no message');
  socket.resume();
  socket.ping();
  expect(await Promise.race([arrived, ponged])).toBe('{"type":"first"}');
});
