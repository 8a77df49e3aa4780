import type { FastifyReply } from 'fastify';

/** Aborted when the client disconnects, at once where it has done so already: then no event comes any more. */
export function abortOnDisconnect({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController();
  if (raw.destroyed) disconnected.abort();
  else raw.once('close', () => disconnected.abort());
  return disconnected.signal;
}
