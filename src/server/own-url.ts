import type { FastifyInstance } from 'fastify';

/** The address under which this server reaches itself, once it listens. */
export function ownUrl(app: FastifyInstance): string {
  const bound = app.server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen yet');
  const address = /^(0\.0\.0\.0|::)$/.test(bound.address) ? '127.0.0.1' : bound.address;
  return `http://${address.includes(':') ? `[${address}]` : address}:${bound.port}`;
}
