import type { FastifyReply, FastifyRequest } from 'fastify';

const LINGER_MS = 5_000;

/**
 * An upload that is answered before it was read to its end: the rest is read over for a moment, so that the client
 * gets to see the answer (closing at once would reset the connection under it), then the connection is closed.
 */
export function lingerAfterAnswer(request: FastifyRequest, reply: FastifyReply): void {
  const { raw } = request;
  reply.raw.once('finish', () => {
    if (raw.complete || raw.destroyed) return;
    const timer = setTimeout(() => raw.complete || raw.destroy(), LINGER_MS);
    raw.once('close', () => clearTimeout(timer));
    raw.once('error', () => undefined);
    raw.unpipe();
    raw.resume();
  });
}
