import type { FastifyInstance, FastifyReply } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { DESK_PATH } from '#contract/desk-files.ts';
import { audit } from '../audit.ts';
import { readFile } from '../contribution.ts';
import type { Desk } from '../deps.ts';
import { DeskFailure } from '../faults.ts';
import { Id, valid } from '../parse.ts';
import { openStored, storedAddress } from '../stored-files.ts';

const Params = z.object({ id: Id, fileId: Id });
const PDF = 'application/pdf';

/**
 * GET /contributions/:id/files/:fileId/preview: a PDF for the browser's own viewer. A viewer opens nothing from a
 * sandbox, nor under a policy that forbids objects; so type and frame are what holds it: whatever the bytes are, a
 * browser takes them for a PDF, and shows it inside this application only.
 */
export function preview(app: FastifyInstance, { gate, backend }: Desk): void {
  app.get(
    `${DESK_PATH}/contributions/:id/files/:fileId/preview`,
    { exposeHeadRoute: false },
    async (request, reply) => {
      const { admin } = await gate.admitDownload(request);
      const { id, fileId } = valid(Params, request.params);
      const found = await readFile(admin.client, id, fileId);
      if (found.type !== PDF) throw new DeskFailure('invalid_request');
      const over = new AbortController();
      reply.raw.once('close', () => over.abort());
      const headers = { authorization: `Bearer ${admin.token}` };
      const stored = await openStored(storedAddress(backend(), found.path), headers, over.signal);
      await audit(admin.client, 'file', { contribution: id, detail: { file: fileId } }).catch((error: unknown) => {
        stored.destroy();
        throw error;
      });
      return send(reply, stored);
    },
  );
}

/** Without ranges: a ticket opens once, and a viewer that is offered parts comes again for them. */
function send(reply: FastifyReply, stored: IncomingMessage): FastifyReply {
  const length = stored.headers['content-length'];
  if (length !== undefined) void reply.header('content-length', length);
  return reply
    .headers({
      'content-type': PDF,
      'accept-ranges': 'none',
      'content-disposition': 'inline',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "frame-ancestors 'self'",
    })
    .send(stored);
}
