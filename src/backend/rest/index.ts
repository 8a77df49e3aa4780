import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { identifyCaller, type CallerKeys } from '#http/caller.ts';
import { answerErrors, type ErrorProtocol } from '#http/errors.ts';
import { getClientAddress, toNetwork } from '#http/network.ts';
import { createRouteKind, type Route } from '#http/route.ts';
import type { ServiceDeps } from '../service.ts';
import { addAllowedMethods } from './allowed-methods.ts';
import { callFunction } from './call-function.ts';
import { createCatalogCache } from './catalog/catalog-cache.ts';
import { createConcurrencyLimit, type ConcurrencyRules } from './concurrency.ts';
import { emptyToken, toRestError } from './convert-error.ts';
import { describeSchema } from './describe.ts';
import { badPath, badRpcMethod, formatError, unsupportedMethod, type RestError } from './errors.ts';
import { parseQueryString } from './grammar/query-string.ts';
import { readRelation } from './read-relation.ts';
import { negotiateDocument, negotiateFormat } from './request/media.ts';
import { parsePreferences } from './request/preferences.ts';
import { chooseSchema, type Answer, type RestDeps, type RestRequest } from './request.ts';
import { deleteRows, insertRows, putRow, updateRows } from './write-relation.ts';

const MEBIBYTE = 1024 * 1024;
const BODY_LIMIT = 10 * MEBIBYTE;
const PIECE = 64 * 1024;
const LONG_ANSWER = 4 * PIECE;

type RestContext = RestDeps & Readonly<{ keys: CallerKeys }>;

const restRoute = createRouteKind<RestContext, RestRequest>({
  caller: 'anyone; row-level security decides',
  admit: async ({ context, request, reply, spec }, run) =>
    run(await parseRequest(context, request, reply, spec.url), {}),
  options: { bodyLimit: BODY_LIMIT },
});

const READ = ['GET', 'HEAD'] as const;
const ROWS = 'JSON, CSV or a form: rows';

/** All routes of /rest/v1. */
export const REST_ROUTES: readonly Route<RestContext>[] = [
  declare(READ, '/', describeSchema),
  declare(READ, '/:name', readRelation),
  declare('POST', '/:name', insertRows, ROWS),
  declare('PATCH', '/:name', updateRows, ROWS),
  declare('PUT', '/:name', putRow, ROWS),
  declare('DELETE', '/:name', deleteRows),
  declare(READ, '/rpc/:name', callFunction),
  declare('POST', '/rpc/:name', callFunction, 'JSON, a form, text, XML or bytes: arguments'),
];

function declare(
  method: HTTPMethods | readonly HTTPMethods[],
  url: string,
  handle: (deps: RestDeps, request: RestRequest, name: string) => Promise<Answer>,
  content?: string,
): Route<RestContext> {
  const spec = { method, url, ...(content === undefined ? {} : { content }) };
  return restRoute(spec, async ({ context, request: { params }, reply }, request) =>
    sendAnswer(reply, await handle(context, request, getName(params))),
  );
}

type Concurrency = Readonly<{ connections: number; databaseWaitMs: number | undefined }>;

/** /rest/v1: tables and functions over HTTP (supabase-contract §2). */
export function restService(service: ServiceDeps & Concurrency): FastifyPluginAsync {
  const { database, config, log, keys } = service;
  const catalog = createCatalogCache(database, config.api.schemas, config.api.extra_search_path);
  const limit = createConcurrencyLimit(createConcurrencyRules(config.api, service));
  const context: RestContext = { database, catalog, api: config.api, limit, log, keys };
  return async (app) => {
    acceptAnyBody(app);
    answerErrors(app, PROTOCOL);
    for (const route of REST_ROUTES) route.mount(app, context);
    refuseOtherMethods(app, '/', unsupportedMethod);
    refuseOtherMethods(app, '/:name', unsupportedMethod);
    refuseOtherMethods(app, '/rpc/:name', badRpcMethod);
    refuseOtherMethods(app, '/*', badPath);
    app.addHook('onSend', addAllowedMethods(context));
  };
}

function refuseOtherMethods(app: FastifyInstance, url: string, refuse: (method: string) => RestError): void {
  const declared = REST_ROUTES.filter(({ spec }) => spec.url === url).flatMap(({ spec }) => spec.method);
  const method = app.supportedMethods.filter((name) => !declared.some((known) => known === name));
  app.route({
    url,
    method,
    bodyLimit: BODY_LIMIT,
    handler: async (request) => {
      throw refuse(request.method);
    },
  });
}

// Left to /health, to files and to other modules' requests in a caller's name.
const SPARE_CONNECTIONS = 2;
const WAITING_PER_CALLER = 60;
const LEAST_WAIT_MS = 5_000;

function createConcurrencyRules(
  api: RestDeps['api'],
  { connections, databaseWaitMs = 0 }: Concurrency,
): ConcurrencyRules {
  return {
    total: Math.max(1, connections - SPARE_CONNECTIONS),
    perCaller: api.max_concurrent,
    largePerCaller: api.max_concurrent_large,
    waitingPerCaller: WAITING_PER_CALLER,
    waitMs: Math.max(LEAST_WAIT_MS, databaseWaitMs / 2),
    unread: api.max_unread_bytes,
    unreadPerCaller: api.max_unread_bytes_per_caller,
  };
}

/** Takes bodies as bytes: the handler decides on the content type, with upstream's error messages. */
function acceptAnyBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

/** `route`: the address of the route as it is declared. */
async function parseRequest(
  { api, keys }: RestContext,
  request: FastifyRequest,
  reply: FastifyReply,
  route: string,
): Promise<RestRequest> {
  const { headers, method } = request;
  const isFunction = route.startsWith('/rpc/');
  if (/^bearer\s*$/i.test(headers.authorization ?? 'none')) throw emptyToken();
  const caller = await identifyCaller(headers, keys);
  const isRead = method === 'GET' || method === 'HEAD';
  const url = request.raw.url ?? '';
  const mark = url.indexOf('?');
  const address = getClientAddress(request);
  const prefer = [headers['prefer'] ?? ''].flat().join(',');
  return {
    method,
    path: `${isFunction ? '/rpc' : ''}/${getName(request.params)}`,
    headers,
    caller,
    address,
    network: toNetwork(address),
    ...chooseSchema(headers[isRead ? 'accept-profile' : 'content-profile'], api.schemas),
    query: parseQueryString(mark < 0 ? '' : url.slice(mark + 1), isFunction && isRead ? 'function-read' : 'relation'),
    preferences: parsePreferences(prefer, api.tx_end.endsWith('allow-override')),
    format: route === '/' ? negotiateDocument(headers.accept) : negotiateFormat(headers.accept),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    afterAnswer: (then) => void (reply.raw.destroyed ? then() : reply.raw.once('close', then)),
  };
}

function getName(params: unknown): string {
  return typeof params === 'object' && params !== null && 'name' in params ? String(params.name) : '';
}

function sendAnswer(reply: FastifyReply, answer: Answer): FastifyReply {
  void reply.code(answer.status).headers(answer.headers);
  if (answer.body.length < LONG_ANSWER) return reply.send(answer.body === '' ? undefined : answer.body);
  // In pieces, because a socket copies each one and reports only when all of it is sent.
  const bytes = Buffer.from(answer.body);
  return reply.header('content-length', bytes.length).send(Readable.from(splitBytes(bytes)));
}

function* splitBytes(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

const PROTOCOL: ErrorProtocol<RestError> = {
  // Errors of the database are converted where the caller's role is known.
  convert: (thrown) => toRestError(thrown, false),
  answer: formatError,
  log: ({ code, cause }, { request, status }) => {
    if (status < 500) return;
    // PostgreSQL's messages may quote what people typed, so only its codes are logged.
    const isOwn = cause instanceof Error && !('severity' in cause);
    request.log.error(isOwn ? { code, cause: cause.stack } : { code }, 'request to /rest/v1 failed');
  },
};
