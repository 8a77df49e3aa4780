import { expect, test } from 'vitest';
import * as errors from './errors.ts';

const CACHE = 'in the schema cache';

test.each<[errors.RestError, number, string, string, unknown?, string?]>([
  [errors.malformedQuery('m', 'd'), 400, 'PGRST100', 'm', 'd'],
  [errors.badRpcMethod('PUT'), 405, 'PGRST101', 'Cannot use the PUT method on RPC'],
  [errors.badBody('Empty or invalid json'), 400, 'PGRST102', 'Empty or invalid json'],
  [errors.badRange('d'), 416, 'PGRST103', 'Requested range not satisfiable', 'd'],
  [
    errors.putNeedsKeyFilters(),
    405,
    'PGRST105',
    "Filters must include all and only primary key columns with 'eq' operators",
  ],
  [
    errors.unknownSchema('x', ['public', 'other']),
    406,
    'PGRST106',
    'Invalid schema: x',
    null,
    'Only the following schemas are exposed: public, other',
  ],
  [errors.noSuchMediaType(['a/b', 'c']), 406, 'PGRST107', 'None of these media types are available: a/b, c'],
  [
    errors.notEmbedded('a'),
    400,
    'PGRST108',
    "'a' is not an embedded resource in this request",
    null,
    "Verify that 'a' is included in the 'select' query parameter.",
  ],
  [
    errors.badResponseHeaders(),
    500,
    'PGRST111',
    'response.headers guc must be a JSON array composed of objects with a single key and a string value',
  ],
  [errors.badResponseStatus(), 500, 'PGRST112', 'response.status guc must be a valid status code'],
  [errors.putWithLimit(), 400, 'PGRST114', 'limit/offset querystring parameters are not allowed for PUT'],
  [errors.putKeyMismatch(), 400, 'PGRST115', 'Payload values do not match URL in primary key column(s)'],
  [
    errors.notSingular(2),
    406,
    'PGRST116',
    'Cannot coerce the result to a single JSON object',
    'The result contains 2 rows',
  ],
  [errors.unsupportedMethod('PURGE'), 405, 'PGRST117', 'Unsupported HTTP method: PURGE'],
  [
    errors.badEmbedFilter('a'),
    400,
    'PGRST120',
    "Bad operator on the 'a' embedded resource",
    'Only is null or not is null filters are allowed on embedded resources',
  ],
  [
    errors.badPreferences(['a', 'b=c']),
    400,
    'PGRST122',
    'Invalid preferences given with handling=strict',
    'Invalid preferences: a, b=c',
  ],
  [errors.aggregatesRefused(), 400, 'PGRST123', 'Use of aggregate functions is not allowed'],
  [
    errors.tooManyAffected(5),
    400,
    'PGRST124',
    'Query result exceeds max-affected preference constraint',
    'The query affects 5 rows',
  ],
  [errors.badPath(), 404, 'PGRST125', 'Invalid path specified in request URL'],
  [errors.notImplemented('d'), 400, 'PGRST127', 'Feature not implemented', 'd'],
  [
    errors.maxAffectedNeedsRows(),
    400,
    'PGRST128',
    'Function must return SETOF or TABLE when max-affected preference is used with handling=strict',
  ],
  [
    errors.noRelationship({ schema: 's', name: 'a' }, 'b', undefined, undefined),
    400,
    'PGRST200',
    `Could not find a relationship between 'a' and 'b' ${CACHE}`,
    "Searched for a foreign key relationship between 'a' and 'b' in the schema 's', but no matches were found.",
  ],
  [
    errors.ambiguousRelationship('a', 'b', [{ x: 1 }], "'b!k'"),
    300,
    'PGRST201',
    "Could not embed because more than one relationship was found for 'a' and 'b'",
    [{ x: 1 }],
    "Try changing 'b' to one of the following: 'b!k'. Find the desired relationship in the 'details' key.",
  ],
  [errors.columnNotInCache('t', 'c'), 400, 'PGRST204', `Could not find the 'c' column of 't' ${CACHE}`],
  [errors.undefinedColumn('t', 'c', 'h'), 400, '42703', 'column t.c does not exist', null, 'h'],
  [errors.undefinedType('x'), 400, '42704', 'type "x" does not exist'],
  [
    errors.tooManyRows(3),
    413,
    'too_many_rows',
    'The request brings too many rows',
    'One request inserts at most 3 rows.',
  ],
  [errors.databaseUnreachable(undefined), 503, 'PGRST000', 'Database connection error.'],
  [errors.databaseDown(undefined), 503, 'PGRST001', 'Database client error. Retrying the connection.'],
  [errors.noSchemaCache(undefined), 503, 'PGRST002', 'Could not query the database for the schema cache. Retrying.'],
  [errors.poolTimeout(undefined), 504, 'PGRST003', 'Timed out acquiring connection from connection pool.'],
])(
  '%s: body to the letter (contract §2.3)',
  (error, status, code, message, details = null, hint: string | null = null) => {
    expect(error.status).toBe(status);
    expect(errors.errorBody(error)).toBe(JSON.stringify({ code, details, hint, message }));
  },
);

test.each([
  [errors.tooManyRequests(), 429, 'too_many_requests'],
  [errors.answersUnread(), 429, 'answers_unread'],
  [errors.overloaded(), 503, 'overloaded'],
])('%s says when to try again', (error, status, code) => {
  expect(error).toMatchObject({ status, code, headers: { 'Retry-After': '2' } });
});

test('A cause is kept for the log and never part of the body', () => {
  const cause = new Error('host=10.0.0.7 password=x');
  const error = errors.databaseDown(cause);
  expect(error.cause).toBe(cause);
  expect(errors.errorBody(error)).not.toContain('10.0.0.7');
});

test('Shortens each text of an answer, which may quote what was sent', () => {
  const long = 'x'.repeat(1_000_000);
  const error = new errors.RestError(400, 'c', long, { details: long, hint: long });
  expect(errors.errorBody(error).length).toBeLessThan(7_000);
  const found = [{ a: 1 }];
  expect(new errors.RestError(400, 'c', 'm', { details: found }).details).toBe(found);
});
