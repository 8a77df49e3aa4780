import pg from 'pg';
import { isRequestError } from '#http/errors.ts';
import { getErrorCode } from '#lib/error-code.ts';
import { parseJson } from '#lib/parse-json.ts';
import { TokenError } from '#http/tokens.ts';
import { databaseDown, databaseUnreachable, poolTimeout, RestError } from './errors.ts';

/** Maps anything thrown to the error it is answered as. `authenticated`: the caller's role is not the public one. */
export function toRestError(error: unknown, authenticated: boolean): RestError {
  if (error instanceof RestError) return error;
  if (error instanceof TokenError) return fromToken(error);
  if (error instanceof pg.DatabaseError) return fromPostgres(error, authenticated);
  if (isRequestError(error)) return new RestError(error.statusCode, 'PGRST102', error.message, { cause: error });
  return fromConnection(error) ?? new RestError(500, 'PGRSTX00', 'Internal server error', { cause: error });
}

const CLAIM_CODES: ReadonlySet<string> = new Set(['expired', 'not-yet-valid', 'issuer', 'audience']);

function fromToken(error: TokenError): RestError {
  const code = CLAIM_CODES.has(error.code) ? 'PGRST303' : 'PGRST301';
  return new RestError(401, code, error.message, {
    ...(error.code === 'no-key' ? { details: 'None of the keys was able to decode the JWT' } : {}),
    headers: tokenHeaders(error.message),
    cause: error,
  });
}

export function emptyToken(): RestError {
  const message = 'Empty JWT is sent in Authorization header';
  return new RestError(401, 'PGRST301', message, { headers: tokenHeaders(message) });
}

function tokenHeaders(message: string): Record<string, string> {
  return { 'WWW-Authenticate': `Bearer error="invalid_token", error_description=${JSON.stringify(message)}` };
}

function fromPostgres(error: pg.DatabaseError, authenticated: boolean): RestError {
  const code = error.code ?? 'XX000';
  if (code === 'PGRST') return fromRaised(error);
  const status = mapSqlState(code, error.message, authenticated);
  return new RestError(status, code, error.message, {
    details: error.detail,
    hint: error.hint,
    headers: status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {},
    cause: error,
  });
}

const EXACT: Readonly<Record<string, number>> = {
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  '57P01': 503,
  '57P02': 503,
  '57P03': 503,
  P0001: 400,
};

// prettier-ignore
const BY_CLASS: Readonly<Record<string, number>> = {
  '08': 503, '09': 500, '0L': 403, '0P': 403, '25': 500, '28': 403, '2D': 500, '38': 500, '39': 500, '3B': 500,
  '40': 500, '53': 503, '54': 500, '55': 500, '57': 500, '58': 500, F0: 500, HV: 500, P0: 500, XX: 500,
};

/** SQLSTATE → HTTP status (supabase-contract §2.3). */
function mapSqlState(code: string, message: string, authenticated: boolean): number {
  if (code === '42501') return authenticated ? 403 : 401;
  if (code === '21000') return message.endsWith('requires a WHERE clause') ? 400 : 500;
  if (code === '22023' && /^role .* does not exist$/.test(message)) return 401;
  // PostgreSQL says 'internal error' where the text of a search nests too deeply (pushOpStack in tsquery.c).
  if (code === 'XX000' && message === 'tsquery stack too small') return 400;
  if (code.startsWith('PT')) return parseHttpStatus(code.slice(2)) ?? 500;
  return EXACT[code] ?? BY_CLASS[code.slice(0, 2)] ?? 400;
}

function parseHttpStatus(text: string): number | undefined {
  return /^[2-5]\d\d$/.test(text) ? Number(text) : undefined;
}

/** `RAISE SQLSTATE 'PGRST'`: message and detail carry the whole answer as JSON. */
function fromRaised(error: pg.DatabaseError): RestError {
  const body = parseObject(error.message);
  const detail = parseObject(error.detail);
  const status = detail === undefined ? undefined : parseHttpStatus(String(detail['status']));
  if (body === undefined || status === undefined) {
    return new RestError(500, 'PGRST121', 'Could not parse JSON in the "RAISE SQLSTATE \'PGRST\'" error', {
      details:
        body === undefined
          ? `Invalid JSON value for MESSAGE: '${error.message}'`
          : 'DETAIL is missing in the RAISE statement',
      cause: error,
    });
  }
  const headers = Object.entries(detail?.['headers'] ?? {}).map(([name, value]) => [name, String(value)] as const);
  return new RestError(status, String(body['code']), String(body['message']), {
    details: body['details'],
    ...(typeof body['hint'] === 'string' ? { hint: body['hint'] } : {}),
    headers: Object.fromEntries(headers),
    cause: error,
  });
}

function parseObject(text: string | undefined): Record<string, unknown> | undefined {
  const value = parseJson(text ?? '');
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

const UNREACHABLE = /^(ECONNREFUSED|ENOENT|ENOTFOUND|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|EAI_AGAIN)$/;
const POOL_TIMEOUT = /timeout exceeded when trying to connect/i;
const LOST = /connection (terminated|error|ended)|not queryable|client was closed|pool after calling end/i;

function fromConnection(error: unknown): RestError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = getErrorCode(error) ?? '';
  if (POOL_TIMEOUT.test(error.message)) return poolTimeout(error);
  if (UNREACHABLE.test(code)) return databaseUnreachable(error);
  if (LOST.test(error.message) || code === 'ECONNRESET' || code === 'EPIPE') return databaseDown(error);
  return undefined;
}
