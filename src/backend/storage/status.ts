import { createRequire } from 'node:module';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { StorageDeps } from './deps.ts';

const Manifest = z.object({ version: z.string() });

/** GET /status (200 while the store answers) and /version */
export function serviceStatus(app: FastifyInstance, { store }: StorageDeps): void {
  const { version } = Manifest.parse(createRequire(import.meta.url)('../../../package.json'));
  app.get('/status', async (_request, reply) => {
    await store.ping();
    return reply.send();
  });
  app.get('/version', async (_request, reply) => reply.type('text/plain').send(version));
}
