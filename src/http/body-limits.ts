import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The body is a file: it may take any time as long as bytes arrive. */
    fileBody?: boolean;
  }
}

export const FILE_BODY = { config: { fileBody: true } } as const;

/** ms. `silence`: no byte arrives; `body`: the whole body of a request that brings no file. */
export type BodyTimes = Readonly<{ silence: number; body: number }>;

export type BodyWatch = Readonly<{
  add: (request: IncomingMessage) => void;
  /** Lifts the limit on the whole body. */
  allowFile: (request: IncomingMessage) => void;
  /** Ends the requests whose time is up. */
  sweep: () => void;
}>;

type Watched = { since: number; bytes: number; movedAt: number };

const CHECKS_A_LIMIT = 4;

/**
 * Ends requests whose body stops arriving. Node's `requestTimeout` counts the whole request, which would end large
 * files on slow lines as well.
 */
export function limitBodies(app: FastifyInstance, times: BodyTimes): void {
  const watch = createBodyWatch(times, () => performance.now());
  // On the server itself: requests that no route gets to see count, too.
  app.server.on('request', (request) => watch.add(request));
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.fileBody === true) watch.allowFile(request.raw);
  });
  const timer = setInterval(watch.sweep, Math.min(times.silence, times.body) / CHECKS_A_LIMIT).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

export function createBodyWatch(times: BodyTimes, now: () => number): BodyWatch {
  const watched = new Map<IncomingMessage, Watched>();
  const files = new WeakSet<IncomingMessage>();
  const isLate = (request: IncomingMessage, entry: Watched): boolean => {
    const { bytesRead } = request.socket;
    // Bytes that wait to be read are this server's delay, not the client's.
    if (bytesRead !== entry.bytes || request.readableLength > 0) {
      entry.bytes = bytesRead;
      entry.movedAt = now();
    }
    if (now() - entry.movedAt >= times.silence) return true;
    return !files.has(request) && now() - entry.since >= times.body;
  };
  return {
    add: (request) => {
      if (!bringsBody(request)) return;
      watched.set(request, { since: now(), bytes: request.socket.bytesRead, movedAt: now() });
      request.once('close', () => watched.delete(request));
    },
    allowFile: (request) => void files.add(request),
    sweep: () => {
      for (const [request, entry] of watched) {
        if (request.complete || request.destroyed) watched.delete(request);
        else if (isLate(request, entry)) endRequest(request);
      }
    },
  };
}

function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** As Node itself ends a request whose header is late. */
function endRequest(request: IncomingMessage): void {
  const { socket } = request;
  if (socket.writable) socket.write('HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n');
  socket.destroySoon();
}
