import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DESK_PATH } from '#contract/desk-files.ts';
import type { Administrator } from '../../administrator.ts';
import { audit } from '../audit.ts';
import { readFile, type ContributionFile } from '../contribution.ts';
import type { Desk } from '../deps.ts';
import { DeskError, Id, parseRequest } from '../error.ts';
import { chooseFileName, formatContentDisposition } from '../file-names.ts';
import { streamVerified } from '../integrity.ts';
import type { RequestContext } from '#http/route.ts';
import { downloadRoute } from '../route.ts';
import { formatFileUrl, openStoredFile } from '../stored-files.ts';

const Params = z.object({ id: Id, fileId: Id });
const FORWARDED = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];
const PATH = `${DESK_PATH}/contributions/:id/files/:fileId`;
const PDF = 'application/pdf';

/**
 * GET /contributions/:id/files/:fileId: one file or a range of it, as an attachment. The answer breaks off before the
 * end of a damaged file.
 */
export const downloadFile = downloadRoute({ method: 'GET', url: PATH }, async (input, { admin }) => {
  const { request, reply } = input;
  const { found, stored, signal, ids } = await openFile(input, admin, getRangeHeaders(request));
  const content = streamVerified(stored, (damage) => {
    if (!signal.aborted) request.log.error({ ...ids, damage }, 'desk: download of a damaged file broken off');
  });
  return forwardHeaders(reply, stored)
    .headers({
      'content-disposition': formatContentDisposition(chooseFileName(found, `${ids.contribution}-${ids.file}`)),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
    })
    .send(content);
});

/** GET …/preview: a PDF for the browser's own viewer. */
export const previewFile = downloadRoute({ method: 'GET', url: `${PATH}/preview` }, async (input, { admin }) => {
  const { stored } = await openFile(input, admin, {}, PDF);
  return sendPreview(input.reply, stored);
});

type OpenedFile = Readonly<{
  found: ContributionFile;
  stored: IncomingMessage;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  ids: Readonly<{ contribution: number; file: number }>;
}>;

/** Opens a stored file in the administrator's name and writes the audit log before any byte is sent. */
async function openFile(
  { context, request, reply }: RequestContext<Desk, undefined>,
  admin: Administrator,
  range: Readonly<Record<string, string>>,
  type?: string,
): Promise<OpenedFile> {
  const { id, fileId } = parseRequest(Params, request.params);
  const found = await readFile(admin.client, id, fileId);
  if (type !== undefined && found.type !== type) throw new DeskError('invalid_request');
  const disconnected = new AbortController();
  reply.raw.once('close', () => disconnected.abort());
  const headers = { authorization: `Bearer ${admin.token}`, ...range };
  const stored = await openStoredFile(formatFileUrl(context.backend(), found.path), headers, disconnected.signal);
  await audit(admin.client, 'file', { contribution: id, detail: { file: fileId } }).catch((error: unknown) => {
    stored.destroy();
    throw error;
  });
  return { found, stored, signal: disconnected.signal, ids: { contribution: id, file: fileId } };
}

function getRangeHeaders({ headers }: FastifyRequest): Record<string, string> {
  const condition = headers['if-range'];
  return {
    ...(headers.range === undefined ? {} : { range: headers.range }),
    ...(typeof condition === 'string' ? { 'if-range': condition } : {}),
  };
}

function forwardHeaders(reply: FastifyReply, stored: IncomingMessage): FastifyReply {
  for (const header of FORWARDED) {
    const value = stored.headers[header];
    if (value !== undefined) void reply.header(header, value);
  }
  return reply.code(stored.statusCode ?? 0);
}

/**
 * No viewer works in a sandbox or under a policy without objects, so the fixed type and `frame-ancestors` protect
 * instead: the browser treats any bytes as a PDF and shows them inside this application only. No ranges, because a
 * ticket opens once and a viewer would request further ranges.
 */
function sendPreview(reply: FastifyReply, stored: IncomingMessage): FastifyReply {
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
