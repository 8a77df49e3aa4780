import type { IncomingMessage } from 'node:http';

const PATIENCE_MS = 30_000;

/**
 * After an early answer: reads on for a while and forgets it, because a connection closed under a sender takes the
 * answer with it. Whoever goes on sending after `maxBytes` or 30 s is cut off.
 */
export function dropRest(request: IncomingMessage, maxBytes: number): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  let left = maxBytes;
  const timer = setTimeout(() => request.destroy(), PATIENCE_MS).unref();
  request.on('data', (piece: Buffer) => {
    left -= piece.length;
    if (left < 0) request.destroy();
  });
  request.on('error', () => undefined);
  request.on('close', () => clearTimeout(timer));
  request.resume();
}
