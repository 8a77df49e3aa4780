import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { findExcess, parseForm } from '#http/body-limits.ts';
import { isRequestError, sendError, answerErrors, type ErrorAnswer, type ErrorProtocol } from '#http/errors.ts';
import { describeFault, getErrorCode } from '#lib/error-code.ts';
import { isUnavailable } from '../database/index.ts';
import { AuthError, badJson, ERRORS, invalid } from './errors.ts';

const MEGABYTE = 1_048_576;
const MAX_DEPTH = 64;
const LIMITS = { depth: MAX_DEPTH, values: 10_000 };

/**
 * Accepts JSON only, at most 1 MB (supabase-contract §1.1), so that forms and plain text from foreign pages are
 * refused.
 */
export function useJsonBodies(app: FastifyInstance): void {
  useBodies(app, 'application/json', (text) => (text === '' ? undefined : parseJson(text)));
}

/** Accepts forms only, for the two routes that other providers post to by the browser; each checks its own proof. */
export function useForms(app: FastifyInstance): void {
  useBodies(app, 'application/x-www-form-urlencoded', (text) => {
    const pairs = parseForm(text);
    if (pairs === undefined) throw ERRORS.tooLarge();
    const members = Object.fromEntries(pairs);
    refuseUnstorable(members);
    return members;
  });
}

function useBodies(app: FastifyInstance, type: string, parse: (text: string) => unknown): void {
  app.removeAllContentTypeParsers();
  const options = { parseAs: 'string', bodyLimit: MEGABYTE } as const;
  app.addContentTypeParser(type, options, async (_request: FastifyRequest, text: string) => parse(text));
}

function parseJson(text: string): unknown {
  const excess = findExcess(text, LIMITS);
  if (excess === 'values') throw ERRORS.tooLarge();
  if (excess === 'depth') throw badJson('nested too deeply');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badJson('invalid syntax');
  }
  refuseUnstorable(value);
  return value;
}

/** PostgreSQL stores neither NUL nor half a surrogate pair, and deep nesting exhausts its stack. */
function refuseUnstorable(root: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && !isStorable(value)) throw badJson('invalid character in a string');
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH) throw badJson('nested too deeply');
    for (const [key, item] of Object.entries(value)) {
      open.push({ value: key, depth: depth + 1 }, { value: item, depth: depth + 1 });
    }
  }
}

function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Throws AuthError `bad_json` that names the first invalid member. `null` counts as `{}`, a missing body does not. */
export function parseBody<Body>(schema: z.core.$ZodType<Body>, body: unknown): Body {
  if (body === undefined) throw badJson('unexpected end of JSON input');
  const result = z.safeParse(schema, body ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw badJson(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
}

const Query = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/**
 * Returns the first value of a query parameter. Throws AuthError where it holds a character that PostgreSQL cannot
 * store.
 */
export function readQuery(request: FastifyRequest, name: string): string {
  const value = Query.safeParse(request.query).data?.[name];
  const first = (Array.isArray(value) ? value[0] : value) ?? '';
  if (!isStorable(first)) throw invalid(`invalid character in ${name}`);
  return first;
}

/** An optional text: missing and null mean empty, as in upstream. */
export const Text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
export const Flag = z
  .boolean()
  .nullish()
  .transform((value) => value ?? false);
export const Data = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {});

const VERSION_HEADER = 'x-supabase-api-version';
const VERSION = '2024-01-01';

const PROTOCOL: ErrorProtocol<AuthError> = {
  convert: toAuthError,
  answer: formatAnswer,
  log: ({ id, status, code }, { request, thrown }) => {
    // A flood of logins must not fill the log, too.
    if (status < 500 || code === 'over_request_rate_limit') return;
    const stack = id === undefined ? undefined : describeFault(thrown).stack;
    request.log.error({ errorId: id, cause: describeCause(thrown), stack }, 'authentication request failed');
  },
};

/** Renders every error of this service in the form the request asks for (supabase-contract §1.1). */
export function useEnvelope(app: FastifyInstance): void {
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  answerErrors(app, PROTOCOL);
  app.setNotFoundHandler((request, reply) => sendError(PROTOCOL, ERRORS.notFound(), request, reply));
}

function formatAnswer({ status, code, message, extra, id }: AuthError, request: FastifyRequest): ErrorAnswer {
  const isVersioned = acceptsVersion(request);
  const version = isVersioned ? { [VERSION_HEADER]: VERSION } : {};
  if (code === '') return { headers: version, body: extra };
  const headers = { ...version, 'x-sb-error-code': code };
  if (isVersioned) return { headers, body: { code, message, ...extra } };
  const errorId = id === undefined ? {} : { error_id: id };
  return { headers, body: { code: status, error_code: code, msg: message, ...errorId, ...extra } };
}

/** Any date since the first version gets the newest format. */
function acceptsVersion(request: FastifyRequest): boolean {
  const asked = request.headers[VERSION_HEADER];
  return typeof asked === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(asked) && asked >= VERSION;
}

function toAuthError(thrown: unknown): AuthError {
  if (thrown instanceof AuthError) return thrown;
  const code = getErrorCode(thrown);
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return ERRORS.tooLarge();
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return ERRORS.notJson();
  if (isRequestError(thrown)) return badJson('request could not be read');
  return isUnavailable(thrown) ? ERRORS.databaseDown() : ERRORS.unexpected();
}

/** PostgreSQL puts row values into `detail`, so only message and code are logged. */
function describeCause(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = getErrorCode(error);
  return `${code ?? name}: ${code?.length === 5 ? 'database refused a statement' : message}`;
}
