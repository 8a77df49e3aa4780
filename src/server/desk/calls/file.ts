import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { DESK_PATH } from '#contract/desk-files.ts';
import { audit } from '../audit.ts';
import { readFile } from '../contribution.ts';
import type { Desk } from '../deps.ts';
import { attachment, fileName } from '../file-names.ts';
import { Id, valid } from '../parse.ts';
import { openStored, storedAddress } from '../stored-files.ts';
import { unbroken } from '../unbroken.ts';

const Params = z.object({ id: Id, fileId: Id });
const PASSED_ON = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];

/**
 * GET /contributions/:id/files/:fileId: one file, or a part of it, to be saved; never shown by a browser. A whole one
 * that turns out to be damaged is broken off at its end.
 */
export function file(app: FastifyInstance, { gate, backend }: Desk): void {
  app.get(`${DESK_PATH}/contributions/:id/files/:fileId`, { exposeHeadRoute: false }, async (request, reply) => {
    const { admin } = await gate.admitDownload(request);
    const { id, fileId } = valid(Params, request.params);
    const found = await readFile(admin.client, id, fileId);
    const over = new AbortController();
    reply.raw.once('close', () => over.abort());
    const headers = { authorization: `Bearer ${admin.token}`, ...rangeOf(request) };
    const stored = await openStored(storedAddress(backend(), found.path), headers, over.signal);
    await audit(admin.client, 'file', { contribution: id, detail: { file: fileId } }).catch((error: unknown) => {
      stored.destroy();
      throw error;
    });
    const content = unbroken(stored, (fault) => {
      if (!over.signal.aborted)
        request.log.error({ contribution: id, file: fileId, fault }, 'desk: broke off a download');
    });
    return send(reply, { stored, content }, fileName(found, `${id}-${fileId}`));
  });
}

function rangeOf({ headers }: FastifyRequest): Record<string, string> {
  const condition = headers['if-range'];
  return {
    ...(headers.range === undefined ? {} : { range: headers.range }),
    ...(typeof condition === 'string' ? { 'if-range': condition } : {}),
  };
}

type Answer = Readonly<{ stored: IncomingMessage; content: Readable }>;

function send(reply: FastifyReply, { stored, content }: Answer, name: string): FastifyReply {
  for (const header of PASSED_ON) {
    const value = stored.headers[header];
    if (value !== undefined) void reply.header(header, value);
  }
  return reply
    .code(stored.statusCode ?? 0)
    .headers({
      'content-disposition': attachment(name),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    })
    .send(content);
}
