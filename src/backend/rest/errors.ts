import { HttpError } from '#http/errors.ts';

/** Characters of a text of an error. Upstream's texts quote names of the request, which may be as long as its body. */
const MAX_TEXT = 2_000;

/** An error in upstream's form (supabase-contract §2.3). */
export class RestError extends HttpError {
  readonly details: unknown;
  readonly hint: string | null;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, more: ErrorParts = {}) {
    super(status, code, message.slice(0, MAX_TEXT), more.cause === undefined ? undefined : { cause: more.cause });
    this.details = typeof more.details === 'string' ? more.details.slice(0, MAX_TEXT) : (more.details ?? null);
    this.hint = more.hint?.slice(0, MAX_TEXT) ?? null;
    this.headers = more.headers ?? {};
  }
}

export type ErrorParts = Readonly<{
  details?: unknown;
  hint?: string | undefined;
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}>;

/** Returns a function that creates the error, so that its stack leads to the place that throws it. */
function defineError(status: number, code: string, message: string, more?: ErrorParts): () => RestError {
  return () => new RestError(status, code, message, more);
}

function defineCausedError(status: number, code: string, message: string): (cause: unknown) => RestError {
  return (cause) => new RestError(status, code, message, { cause });
}

export function errorBody(error: RestError): string {
  return JSON.stringify({ code: error.code, details: error.details, hint: error.hint, message: error.message });
}

export function formatError(error: RestError): Readonly<{ headers: Record<string, string>; body: string }> {
  return {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Proxy-Status': `PostgREST; error=${error.code}`,
      ...error.headers,
    },
    body: errorBody(error),
  };
}

export const malformedQuery = (message: string, details: string): RestError =>
  new RestError(400, 'PGRST100', message, { details });
/** As PostgreSQL words it. */
export const unexpectedNul = defineError(400, '22021', 'invalid byte sequence for encoding "UTF8": 0x00');
export const badRpcMethod = (method: string): RestError =>
  new RestError(405, 'PGRST101', `Cannot use the ${method} method on RPC`);
export const badBody = (message: string): RestError => new RestError(400, 'PGRST102', message);
export const badRange = (details: string): RestError =>
  new RestError(416, 'PGRST103', 'Requested range not satisfiable', { details });
export const putNeedsKeyFilters = defineError(
  405,
  'PGRST105',
  "Filters must include all and only primary key columns with 'eq' operators",
);

export function unknownSchema(schema: string, exposed: readonly string[]): RestError {
  const hint = `Only the following schemas are exposed: ${exposed.join(', ')}`;
  return new RestError(406, 'PGRST106', `Invalid schema: ${schema}`, { hint });
}

export const noSuchMediaType = (accepted: readonly string[]): RestError =>
  new RestError(406, 'PGRST107', `None of these media types are available: ${accepted.join(', ')}`);
export const notEmbedded = (name: string): RestError =>
  new RestError(400, 'PGRST108', `'${name}' is not an embedded resource in this request`, {
    hint: `Verify that '${name}' is included in the 'select' query parameter.`,
  });
export const badResponseHeaders = defineError(
  500,
  'PGRST111',
  'response.headers guc must be a JSON array composed of objects with a single key and a string value',
);
export const badResponseStatus = defineError(500, 'PGRST112', 'response.status guc must be a valid status code');
export const putWithLimit = defineError(400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT');
export const putKeyMismatch = defineError(400, 'PGRST115', 'Payload values do not match URL in primary key column(s)');

export const notSingular = (rows: number): RestError =>
  new RestError(406, 'PGRST116', 'Cannot coerce the result to a single JSON object', {
    details: `The result contains ${rows} rows`,
  });
export const unsupportedMethod = (method: string): RestError =>
  new RestError(405, 'PGRST117', `Unsupported HTTP method: ${method}`);
export const orderNotToOne = (origin: string, name: string): RestError =>
  new RestError(400, 'PGRST118', `A related order on '${name}' is not possible`, {
    details: `'${origin}' and '${name}' do not form a many-to-one or one-to-one relationship`,
  });
export const badEmbedFilter = (name: string): RestError =>
  new RestError(400, 'PGRST120', `Bad operator on the '${name}' embedded resource`, {
    details: 'Only is null or not is null filters are allowed on embedded resources',
  });
export const badPreferences = (given: readonly string[]): RestError =>
  new RestError(400, 'PGRST122', 'Invalid preferences given with handling=strict', {
    details: `Invalid preferences: ${given.join(', ')}`,
  });
export const aggregatesRefused = defineError(400, 'PGRST123', 'Use of aggregate functions is not allowed');

export const tooManyAffected = (rows: number): RestError =>
  new RestError(400, 'PGRST124', 'Query result exceeds max-affected preference constraint', {
    details: `The query affects ${rows} rows`,
  });
export const badPath = defineError(404, 'PGRST125', 'Invalid path specified in request URL');

export const notImplemented = (details: string): RestError =>
  new RestError(400, 'PGRST127', 'Feature not implemented', { details });
export const maxAffectedNeedsRows = defineError(
  400,
  'PGRST128',
  'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
);

/** `hint`: the one of the request. */
export function noRelationship(
  { schema, name: parent }: Readonly<{ schema: string; name: string }>,
  child: string,
  hint: string | undefined,
  meant: string | undefined,
): RestError {
  const using = hint === undefined ? '' : ` using the hint '${hint}'`;
  return new RestError(
    400,
    'PGRST200',
    `Could not find a relationship between '${parent}' and '${child}' in the schema cache`,
    {
      details:
        `Searched for a foreign key relationship between '${parent}' and '${child}'${using}` +
        ` in the schema '${schema}', but no matches were found.`,
      hint: meant,
    },
  );
}

export const ambiguousRelationship = (
  parent: string,
  child: string,
  found: readonly object[],
  hints: string,
): RestError =>
  new RestError(
    300,
    'PGRST201',
    `Could not embed because more than one relationship was found for '${parent}' and '${child}'`,
    {
      details: found,
      hint:
        `Try changing '${child}' to one of the following: ${hints}. ` +
        "Find the desired relationship in the 'details' key.",
    },
  );
export const columnNotInCache = (relation: string, column: string): RestError =>
  new RestError(400, 'PGRST204', `Could not find the '${column}' column of '${relation}' in the schema cache`);
/** PostgreSQL's own answer: an unknown column never gets as far as SQL. */
export const undefinedColumn = (relation: string, column: string, hint?: string): RestError =>
  new RestError(400, '42703', `column ${relation}.${column} does not exist`, { hint });
export const undefinedType = (name: string): RestError => new RestError(400, '42704', `type "${name}" does not exist`);
/** Not upstream's: its own caps are on rows of one level only. */
export const answerTooLarge = (limit: string): RestError =>
  new RestError(400, 'answer_too_large', 'The answer would be too large', {
    details: `One answer holds at most ${limit}.`,
    hint: 'Ask for fewer rows or columns, and page with limit and offset.',
  });
export const embeddingRefused = (details: string): RestError =>
  new RestError(400, 'embedding_refused', 'The select embeds more than is allowed', { details });
export const tooManyRows = (limit: number): RestError =>
  new RestError(413, 'too_many_rows', 'The request brings too many rows', {
    details: `One request inserts at most ${limit} rows.`,
  });
export const tooManyValues = defineError(413, 'too_many_values', 'The request brings too many values');
const RETRY: ErrorParts = { headers: { 'Retry-After': '2' } };

export const tooManyRequests = defineError(
  429,
  'too_many_requests',
  'Too many requests of this caller at the same time',
  RETRY,
);
export const answersUnread = defineError(
  429,
  'answers_unread',
  'Earlier answers to this caller have not been read',
  RETRY,
);
export const overloaded = defineError(503, 'overloaded', 'Too many requests at the same time', RETRY);
export const databaseDown = defineCausedError(503, 'PGRST001', 'Database client error. Retrying the connection.');
export const databaseUnreachable = defineCausedError(503, 'PGRST000', 'Database connection error.');
export const noSchemaCache = defineCausedError(
  503,
  'PGRST002',
  'Could not query the database for the schema cache. Retrying.',
);
export const poolTimeout = defineCausedError(504, 'PGRST003', 'Timed out acquiring connection from connection pool.');
