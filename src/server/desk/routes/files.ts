import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { DESK_PATH, TicketRequestSchema, type Ticket } from '#contract/desk-files.ts';
import { abortOnDisconnect } from '#http/disconnect.ts';
import type { RequestContext } from '#http/route.ts';
import type { Administrator } from '../../administrator.ts';
import { formatFileUrl } from '../../stored-file.ts';
import { audit } from '../access.ts';
import {
  openCleanCopy,
  openStoredFile,
  requireCleanCopy,
  streamVerified,
  verifyStoredFile,
  type FileDamage,
} from '../file-content.ts';
import { readDossier, readFile, type ContributionFile } from '../contribution.ts';
import { DeskError, Id, parseRequest } from '../error.ts';
import { chooseFileName, formatContentDisposition } from '../file-names.ts';
import { administratorRoute, downloadRoute, type Desk } from '../route.ts';
import { readPost } from './packages.ts';

const Params = z.object({ id: Id, fileId: Id });
const FORWARDED = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'etag', 'last-modified'];
const PATH = `${DESK_PATH}/contributions/:id/files/:fileId`;
const PDF = 'application/pdf';

/**
 * GET /contributions/:id/files/:fileId: one file or a range of it, as an attachment. The answer breaks off before the
 * end of a damaged file.
 */
export const downloadFile = downloadRoute({ method: 'GET', url: PATH }, async (input, { admin }) => {
  const found = await findStored(input, admin);
  const stored = await openFile(found, getRangeHeaders(input.request));
  return forwardHeaders(input.reply, stored)
    .headers(describeDownload(found))
    .send(streamVerified(stored, createReport(input, found)));
});

/** GET …/clean: the copy of a picture or film for publication. */
export const downloadCleanFile = downloadRoute({ method: 'GET', url: `${PATH}/clean` }, async (input, { admin }) => {
  const found = await findStored(input, admin);
  const report = createReport(input, found);
  const { stored, content, size } = await openCleanCopy(found.url, found.headers, found.signal, report);
  await auditFile(found, stored);
  const file = { ...found.file, originalName: undefined };
  const type = stored.headers['content-type'] ?? 'application/octet-stream';
  return input.reply
    .headers({ 'content-type': type, 'content-length': size, ...describeDownload({ ...found, file }) })
    .send(content);
});

/** GET …/preview: a PDF for the browser's own viewer. */
export const previewFile = downloadRoute({ method: 'GET', url: `${PATH}/preview` }, async (input, { admin }) => {
  const found = await findStored(input, admin);
  if (found.file.type !== PDF) throw new DeskError('invalid_request');
  return sendPreview(input.reply, await openFile(found, {}));
});

type Input = RequestContext<Desk, undefined>;

type FoundFile = Readonly<{
  admin: Administrator;
  file: ContributionFile;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  ids: Readonly<{ contribution: number; file: number }>;
}>;

/** Finds a stored file and its address in the administrator's name. */
async function findStored({ context, request, reply }: Input, admin: Administrator): Promise<FoundFile> {
  const { id, fileId } = parseRequest(Params, request.params);
  const file = await readFile(admin.client, id, fileId);
  return {
    admin,
    file,
    url: formatFileUrl(context.backend(), file.path),
    headers: { authorization: `Bearer ${admin.token}` },
    signal: abortOnDisconnect(reply),
    ids: { contribution: id, file: fileId },
  };
}

async function openFile(found: FoundFile, range: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const stored = await openStoredFile(found.url, { ...found.headers, ...range }, found.signal);
  await auditFile(found, stored);
  return stored;
}

/** Writes the audit log before any byte is sent. */
async function auditFile({ admin, ids }: FoundFile, stored: IncomingMessage): Promise<void> {
  const entry = { contribution: ids.contribution, detail: { file: ids.file } };
  await audit(admin.client, 'file', entry).catch((error: unknown) => {
    stored.destroy();
    throw error;
  });
}

function createReport({ request }: Input, { signal, ids }: FoundFile): (damage: FileDamage) => void {
  return (damage) => {
    if (!signal.aborted) request.log.error({ ...ids, damage }, 'desk: download of a damaged file broken off');
  };
}

function describeDownload({ file, ids }: FoundFile): Record<string, string> {
  return {
    'content-disposition': formatContentDisposition(chooseFileName(file, `${ids.contribution}-${ids.file}`)),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
  };
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

/** POST /tickets issues a ticket for a plain link. A link cannot show errors, so the file is verified here. */
export const issueTicket = administratorRoute(
  { method: 'POST', url: `${DESK_PATH}/tickets`, body: TicketRequestSchema },
  async ({ context: { access, backend }, body: { path } }, admin): Promise<Ticket> => {
    await requireFile(admin, path, backend());
    return { url: await access.issueUrl(admin, path) };
  },
);

async function requireFile({ client, token }: Administrator, path: string, backend: string): Promise<void> {
  const [, id, file, post] = /\/contributions\/(\d+)(?:\/files\/(\d+)|\/posts\/(\d+))?/.exec(path) ?? [];
  if (post !== undefined) return void (await readPost(client, Number(id), Number(post)));
  if (file === undefined) return void (await readDossier(client, Number(id)));
  const { path: stored } = await readFile(client, Number(id), Number(file));
  const [url, headers] = [formatFileUrl(backend, stored), { authorization: `Bearer ${token}` }];
  await verifyStoredFile(url, headers);
  if (path.endsWith('/clean')) await requireCleanCopy(url, headers);
}
