import { expect, test } from 'vitest';
import { createMemoryStore, createSqlError, openFakeService, USER, type Answer } from '#tests/support/storage-fakes.ts';
import { StoreUnavailableError } from './stores/object-store.ts';

async function getBucket(answer: Answer, headers: Record<string, string> = USER) {
  const { app } = await openFakeService({ answer });
  const { statusCode, body, headers: answered } = await app.inject({ url: '/bucket/box', headers });
  return { statusCode, body: JSON.parse(body) as Record<string, unknown>, headers: answered };
}

test.each([
  ['42501', 'new row violates row-level security policy for table "objects"', 400, '403', 'AccessDenied'],
  ['22023', 'role "nobody" does not exist', 400, '403', 'AccessDenied'],
  ['23505', 'duplicate key', 400, '409', 'KeyAlreadyExists'],
  ['23503', 'foreign key', 400, '404', 'NoSuchBucket'],
  ['23502', 'null value', 400, '400', 'InvalidRequest'],
  ['22P02', 'invalid input syntax', 400, '400', 'InvalidRequest'],
  ['53400', 'quota', 400, '413', 'QuotaExceeded'],
  ['53100', 'disk full', 507, '507', 'InsufficientStorage'],
  ['53200', 'out of memory', 429, '429', 'SlowDown'],
  ['57014', 'statement timeout', 544, '544', 'DatabaseTimeout'],
  ['57P01', 'terminating connection', 503, '503', 'DatabaseUnavailable'],
  ['08006', 'connection failure', 503, '503', 'DatabaseUnavailable'],
  ['XX000', 'internal error', 500, '500', 'InternalError'],
  ['P0001', 'raised by a trigger', 500, '500', 'InternalError'],
])('Answers PostgreSQL’s %s (%s) as %d (contract §3.1)', async (state, message, http, statusCode, code) => {
  const answered = await getBucket(() => createSqlError(state, message));
  expect(answered.statusCode).toBe(http);
  expect(answered.body).toMatchObject({ statusCode, code });
});

test('Answers the policy’s message, but no names of tables (contract §3.1)', async () => {
  const policy = await getBucket(() => createSqlError('42501', 'new row violates row-level security policy'));
  expect(policy.body['message']).toBe('new row violates row-level security policy');
  const privilege = await getBucket(() => createSqlError('42501', 'permission denied for table secrets'));
  expect(privilege.body['message']).toBe('Access denied');
  const internal = await getBucket(() => createSqlError('XX000', 'secret_table is damaged'));
  expect(internal.body).toEqual({
    statusCode: '500',
    error: 'InternalError',
    message: 'Internal server error',
    code: 'InternalError',
  });
});

test.each([
  [Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503, 'DatabaseUnavailable'],
  [new Error('Connection terminated unexpectedly'), 503, 'DatabaseUnavailable'],
  [new Error('timeout exceeded when trying to connect'), 544, 'DatabaseTimeout'],
  [new Error('a bug'), 500, 'InternalError'],
])('Answers %s as %d', async (error, http, code) => {
  const answered = await getBucket(() => error);
  expect([answered.statusCode, answered.body['code']]).toEqual([http, code]);
  expect(JSON.stringify(answered.body)).not.toContain('a bug');
});

test('Forbids caches to keep an error', async () => {
  expect((await getBucket(() => [])).headers).toMatchObject({
    'cache-control': 'no-store',
    'content-type': 'application/json; charset=utf-8',
  });
});

test.each([
  [{}, "headers must have required property 'authorization'", 'InvalidRequest'],
  [{ authorization: 'Bearer old' }, '"exp" claim timestamp check failed', 'AccessDenied'],
])('Refuses the credential %j with its reason (contract §3.1)', async (headers, message, code) => {
  const answered = await getBucket(() => [], headers);
  expect(answered.statusCode).toBe(400);
  expect(answered.body).toMatchObject({ message, code });
});

test('Answers an unknown path in its own form (contract §3.1)', async () => {
  const { app } = await openFakeService();
  const answered = await app.inject({ method: 'POST', url: '/nothing/here?token=secret' });
  expect([answered.statusCode, answered.json()]).toEqual([
    404,
    { message: 'Route POST:/nothing/here not found', error: 'Not Found', statusCode: 404 },
  ]);
});

test.each([
  ['no JSON', '{', 'application/json', 400, 'InvalidRequest'],
  ['a type without a parser', '<x/>', 'text/xml', 400, 'InvalidMimeType'],
  ['a type that is none', 'x', 'png', 400, 'InvalidMimeType'],
  ['a body of more than 1 MiB', `"${'x'.repeat(1024 * 1024)}"`, 'application/json', 413, 'EntityTooLarge'],
])('Answers %s with upstream’s code (contract §3.1)', async (_case, payload, type, http, code) => {
  const { app } = await openFakeService();
  const headers = { ...USER, 'content-type': type };
  const answered = await app.inject({ method: 'POST', url: '/bucket', headers, payload });
  expect([answered.statusCode, answered.json().code]).toEqual([http, code]);
});

test('Reports a store that does not answer at /status', async () => {
  const ping = async (): Promise<void> => Promise.reject(new StoreUnavailableError());
  const broken = await openFakeService({ store: createMemoryStore({ ping }).store });
  const answered = await broken.app.inject({ url: '/status' });
  expect([answered.statusCode, answered.json().code]).toEqual([503, 'StoreUnavailable']);
  const working = await openFakeService();
  expect((await working.app.inject({ url: '/status' })).statusCode).toBe(200);
});
