import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { callerOf, type CallerKeys } from '#http/caller.ts';
import { addressOf, networkOf } from '#http/network.ts';
import type { ServiceDeps } from '../service.ts';
import { callFunction } from './call-function.ts';
import { createCatalogCache } from './catalog/catalog-cache.ts';
import { describeSchema } from './describe.ts';
import { badPath, badRpcMethod, errorBody, RestError, unknownSchema, unsupportedMethod } from './errors.ts';
import { emptyToken, restErrorOf } from './foreign-errors.ts';
import { createGate, type GateLimits } from './gate.ts';
import { parseQueryString } from './grammar/query-string.ts';
import { allowedMethods } from './options.ts';
import { readRelation } from './read-relation.ts';
import { negotiate } from './request/media.ts';
import { parsePreferences } from './request/preferences.ts';
import type { Answer, RestDeps, RestRequest } from './service.ts';
import { deleteRows, insertRows, putRow, updateRows } from './write-relation.ts';

const MEBIBYTE = 1024 * 1024;
const BODY_LIMIT = 10 * MEBIBYTE;
const PIECE = 64 * 1024;
const LONG_ANSWER = 4 * PIECE;

type Handler = (deps: RestDeps, request: RestRequest, name: string) => Promise<Answer>;

const RELATION: Readonly<Record<string, Handler>> = {
  GET: readRelation,
  HEAD: readRelation,
  POST: insertRows,
  PATCH: updateRows,
  PUT: putRow,
  DELETE: deleteRows,
};

const FUNCTION: Readonly<Record<string, Handler>> = { GET: callFunction, HEAD: callFunction, POST: callFunction };
const ROOT: Readonly<Record<string, Handler>> = { GET: describeSchema, HEAD: describeSchema };

/** /rest/v1: tables and functions over HTTP (supabase-contract §2). */
export function restService(service: ServiceDeps & Readonly<{ connections: number }>): FastifyPluginAsync {
  const { database, config, log } = service;
  const catalog = createCatalogCache(database, config.api.schemas, config.api.extra_search_path);
  const gate = createGate(gateLimits(config.api, service.connections));
  const deps: RestDeps = { database, catalog, api: config.api, gate, log };
  const { keys } = service;

  return async (app) => {
    takeAnyBody(app);
    const answer =
      (handlers: Readonly<Record<string, Handler>>, refuse: (method: string) => RestError) =>
      async (request: FastifyRequest<{ Params: { name?: string } }>, reply: FastifyReply): Promise<FastifyReply> => {
        const name = request.params.name ?? '';
        const handler = handlers[request.method];
        let role = 'anon';
        try {
          if (handler === undefined) throw refuse(request.method);
          const read = await readHead(deps, keys, request, reply, handler === callFunction);
          role = read.caller.role;
          return send(reply, await handler(deps, read, name));
        } catch (error) {
          return sendError(reply, deps, error, role);
        }
      };
    const options = { bodyLimit: BODY_LIMIT };
    app.all('/', options, answer(ROOT, unsupportedMethod));
    app.all('/:name', options, answer(RELATION, unsupportedMethod));
    app.all('/rpc/:name', options, answer(FUNCTION, badRpcMethod));
    app.all('/*', options, (_request, reply) => sendError(reply, deps, badPath(), 'anon'));
    app.setErrorHandler((error, _request, reply) => sendError(reply, deps, error, 'anon'));
    app.addHook('onSend', allowedMethods(deps));
  };
}

// Left to /health, files and what logins ask with the same rights.
const SPARE_CONNECTIONS = 2;
const WAITING_PER_CALLER = 60;
const WAIT_MS = 5_000;

function gateLimits(api: RestDeps['api'], connections: number): GateLimits {
  return {
    total: Math.max(1, connections - SPARE_CONNECTIONS),
    perCaller: api.max_concurrent,
    largePerCaller: api.max_concurrent_large,
    waitingPerCaller: WAITING_PER_CALLER,
    waitMs: WAIT_MS,
    unread: api.max_unread_bytes,
    unreadPerCaller: api.max_unread_bytes_per_caller,
  };
}

/** Bodies are read as they are: the content type decides later, with upstream's words. */
function takeAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

async function readHead(
  deps: RestDeps,
  keys: CallerKeys,
  request: FastifyRequest<{ Params: { name?: string } }>,
  reply: FastifyReply,
  isFunction: boolean,
): Promise<RestRequest> {
  const { headers, method } = request;
  if (/^bearer\s*$/i.test(headers.authorization ?? 'none')) throw emptyToken();
  const caller = await callerOf(headers, keys);
  const { schemas, tx_end } = deps.api;
  const reads = method === 'GET' || method === 'HEAD';
  const profile = headers[reads ? 'accept-profile' : 'content-profile'];
  const schema = typeof profile === 'string' ? profile : (schemas[0] ?? 'public');
  if (!schemas.includes(schema)) throw unknownSchema(schema, schemas);
  const url = request.raw.url ?? '';
  const mark = url.indexOf('?');
  const address = addressOf(request);
  const prefer = headers['prefer'];
  return {
    method,
    path: `${isFunction ? '/rpc' : ''}/${request.params.name ?? ''}`,
    headers,
    caller,
    address,
    network: networkOf(address),
    schema,
    negotiated: profile !== undefined || schemas.length > 1,
    query: parseQueryString(mark < 0 ? '' : url.slice(mark + 1), isFunction && reads ? 'function-read' : 'relation'),
    preferences: parsePreferences(
      Array.isArray(prefer) ? prefer.join(',') : (prefer ?? ''),
      tx_end.endsWith('allow-override'),
    ),
    format: negotiate(headers.accept),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    afterAnswer: (then) => void (reply.raw.destroyed ? then() : reply.raw.once('close', then)),
  };
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  void reply.code(answer.status).headers(answer.headers);
  if (answer.body.length < LONG_ANSWER) return reply.send(answer.body === '' ? undefined : answer.body);
  // In pieces, because a socket copies what it is given and tells only when all of it is gone.
  const bytes = Buffer.from(answer.body);
  return reply.header('content-length', bytes.length).send(Readable.from(piecesOf(bytes)));
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

// PostgreSQL's words for: this is not the schema you think it is.
const OUT_OF_DATE = new Set(['42P01', '42P10', '42P13', '42703', '42704', '42804', '42883', '0A000']);

function sendError(reply: FastifyReply, deps: RestDeps, cause: unknown, role: string): FastifyReply {
  const error = restErrorOf(cause, role !== 'anon');
  if (error.cause !== undefined && OUT_OF_DATE.has(error.code)) deps.catalog.expire();
  if (error.status >= 500) deps.log.error(forLog(error), 'request to /rest/v1 failed');
  return reply
    .code(error.status)
    .headers({
      'Content-Type': 'application/json; charset=utf-8',
      'Proxy-Status': `PostgREST; error=${error.code}`,
      ...error.headers,
    })
    .send(errorBody(error));
}

/**
 * A database's words may quote what people typed: only its codes are for the log, save where no request is involved.
 */
function forLog(error: RestError): object {
  const { code, cause } = error;
  if (cause instanceof Error && !('severity' in cause)) return { code, cause: cause.stack };
  return { code };
}
