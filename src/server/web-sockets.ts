import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyPluginAsync } from 'fastify';

/**
 * HTTP/2 over plain text (`Upgrade: h2c`) is offered by some clients and not served: their request is answered as it
 * is.
 */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Lets WebSocket handshakes through to the given paths and refuses all others, because Node leaves an upgraded socket
 * to its `upgrade` listeners: no other part of the server ends it, not even the server's close. Register it after the
 * module that serves the sockets.
 */
export function limitWebSockets(paths: readonly string[]): FastifyPluginAsync {
  return async (app) => {
    const serve = app.server.listeners('upgrade');
    const sockets = new Set<Duplex>();
    let closing = false;
    app.server.removeAllListeners('upgrade');
    app.server.on('upgrade', (request, socket, head) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      if (closing) return refuseUpgrade(socket, 503);
      if (!asksForWebSocket(request)) return refuseUpgrade(socket, 400);
      if (request.method !== 'GET' || !paths.includes(getPath(request))) return refuseUpgrade(socket, 404);
      for (const listener of serve) listener.call(app.server, request, socket, head);
    });
    app.addHook('preClose', async () => {
      closing = true;
      for (const socket of sockets) socket.destroy();
    });
  };
}

function getPath({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}

function refuseUpgrade(socket: Duplex, status: number): void {
  const error = STATUS_CODES[status];
  const body = JSON.stringify({ error, message: 'No WebSocket is served here', statusCode: status });
  const head = [
    `HTTP/1.1 ${status} ${error}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.on('error', () => socket.destroy());
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
