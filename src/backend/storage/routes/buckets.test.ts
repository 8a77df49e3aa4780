import { expect, test } from 'vitest';
import {
  createBucket,
  createObject,
  createSqlError,
  openFakeService,
  USER,
  USER_ID,
  type Answer,
} from '#tests/support/storage-fakes.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

async function request(method: Method, url: string, payload?: object, answer?: Answer, headers = USER) {
  const { app, queries } = await openFakeService({ answer: answer ?? (() => [createBucket()]) });
  const sent = payload === undefined ? {} : { payload };
  const response = await app.inject({ method, url, headers, ...sent });
  return { status: response.statusCode, body: response.json(), queries };
}

test.each([
  ['', ['', null, 0], 'order by name asc, id'],
  ['?limit=5&offset=10&search=Box', ['Box', 5, 10], 'order by name asc, id'],
  ['?sortColumn=updated_at&sortOrder=desc', ['', null, 0], 'order by updated_at desc, id'],
])('Lists the buckets of %j (contract §3.2)', async (query, values, order) => {
  const { status, body, queries } = await request('GET', `/bucket${query}`);
  expect([status, body[0].type]).toEqual([200, 'STANDARD']);
  expect(queries[0]?.values).toEqual(values);
  expect(queries[0]?.sql).toContain(order);
});

test.each(['limit=0', 'limit=10001', 'limit=a', 'offset=-1', 'sortColumn=public', 'sortOrder=up'])(
  'Refuses the list of %s (contract §3.1)',
  async (query) => {
    const { status, body, queries } = await request('GET', `/bucket?${query}`);
    expect([status, body.code, queries]).toEqual([400, 'InvalidRequest', []]);
    expect(body.message).toContain(`querystring/${query.split('=', 1)[0]}`);
  },
);

test('Creates a bucket that belongs to the caller (contract §3.2)', async () => {
  const settings = { name: 'Box 1', public: true, file_size_limit: '1KB', allowed_mime_types: ['image/*'] };
  const { status, body, queries } = await request('POST', '/bucket', settings);
  expect([status, body]).toEqual([200, { name: 'Box 1' }]);
  expect(queries[0]?.values).toEqual(['Box 1', 'Box 1', true, 1_000, ['image/*'], USER_ID, USER_ID]);
  expect(queries[0]?.context?.settings).toMatchObject({ 'storage.operation': 'storage.bucket.create' });
});

test.each([
  [{ public: 'true' }, [true, undefined, undefined]],
  [{ public: 0 }, [false, undefined, undefined]],
  [{ public: null, file_size_limit: '100' }, [false, 100, undefined]],
  [{ file_size_limit: true }, [false, 1, undefined]],
  [{ file_size_limit: ['1KB'] }, [false, 1_000, undefined]],
  [{ allowed_mime_types: 'image/*' }, [false, undefined, ['image/*']]],
])('Reads the settings %j as upstream’s validator does (contract §3.2)', async (settings, values) => {
  const { queries } = await request('POST', '/bucket', { name: 'a', ...settings });
  expect(queries[0]?.values.slice(2, 5)).toEqual(values);
});

test.each([
  [{ name: 'a/b' }, 'InvalidBucketName'],
  [{ name: ' a' }, 'InvalidBucketName'],
  [{ name: 'a', id: 'ä' }, 'InvalidBucketName'],
  [{}, 'InvalidRequest'],
  [{ name: 'a', public: 'yes' }, 'InvalidRequest'],
  [{ name: 'a', public: '' }, 'InvalidRequest'],
  [{ name: 'a', file_size_limit: 1_001 }, 'EntityTooLarge'],
  [{ name: 'a', file_size_limit: 'much' }, 'InvalidRequest'],
  [{ name: 'a', allowed_mime_types: ['image'] }, 'InvalidMimeType'],
])('Refuses to create %j with %s', async (settings, code) => {
  const { body, queries } = await request('POST', '/bucket', settings);
  expect([body.code, queries]).toEqual([code, []]);
});

test('Answers an existing name as a duplicate (contract §3.1)', async () => {
  const { body } = await request('POST', '/bucket', { name: 'box' }, () => createSqlError('23505'));
  expect(body).toMatchObject({ statusCode: '409', error: 'Duplicate', code: 'BucketAlreadyExists' });
});

test.each([
  [{ public: true }, 'set public = $2, updated_at', ['box', true]],
  [{ file_size_limit: null }, 'set file_size_limit = $2, updated_at', ['box', null]],
  [
    { allowed_mime_types: null, public: false },
    'set public = $2, allowed_mime_types = $3, updated_at',
    ['box', false, null],
  ],
])('Changes only the settings %j (contract §3.2)', async (settings, assignments, values) => {
  const { status, queries } = await request('PUT', '/bucket/box', settings);
  expect(status).toBe(200);
  expect(queries[0]?.sql).toContain(assignments);
  expect(queries[0]?.values).toEqual(values);
});

test('Changes no bucket without a setting, or one that the caller may not change', async () => {
  expect((await request('PUT', '/bucket/box', {})).body.message).toBe('No content provided');
  expect((await request('PUT', '/bucket/box', { public: true }, () => [])).body.code).toBe('NoSuchBucket');
});

test('Deletes an empty bucket only (contract §3.2)', async () => {
  expect((await request('DELETE', '/bucket/box')).body).toEqual({ message: 'Successfully deleted' });
  const filled: Answer = ({ sql }) => (sql.startsWith('delete') ? createSqlError('23503') : [createBucket()]);
  expect((await request('DELETE', '/bucket/box', undefined, filled)).body.code).toBe('ResourceNotEmpty');
  const kept: Answer = ({ sql }) => (sql.startsWith('delete') ? [] : [createBucket()]);
  expect((await request('DELETE', '/bucket/box', undefined, kept)).body.code).toBe('NoSuchBucket');
});

test('Empties a bucket for the service alone (contract §3.2)', async () => {
  const service = { authorization: 'Bearer service' };
  const { body, queries } = await request('POST', '/bucket/box/empty', undefined, undefined, service);
  expect(body.message).toBe('Empty bucket has been queued. Completion may take up to an hour.');
  const removal = queries.find(({ sql }) => sql.startsWith('delete from storage.objects'));
  expect([removal?.values, removal?.context?.role]).toEqual([['box'], 'service_role']);
  const refused = await request('POST', '/bucket/box/empty');
  const message = 'Access denied: Invalid role';
  expect([refused.status, refused.body, refused.queries]).toMatchObject([403, { statusCode: '403', message }, []]);
});

test('Finds no bucket with a NUL in its name', async () => {
  const { body, queries } = await request('GET', '/bucket/a%00b');
  expect([body.code, queries]).toEqual(['NoSuchBucket', []]);
});

test.each([
  [{ prefixes: ['a.txt', { path: 'b.txt' }] }, ['box', ['a.txt', 'b.txt']]],
  [{ prefixes: ['ä'] }, ['box', ['ä']]],
  [{ prefixes: 'a' }, ['box', ['a']]],
  [{ prefixes: [7, null] }, ['box', ['7', '']]],
])('Removes the objects %j and their files (contract §3.2)', async (body, values) => {
  const removed = createObject();
  const answer: Answer = ({ sql }) => (sql.startsWith('delete from storage') ? [removed] : []);
  const { body: answered, queries } = await request('DELETE', '/object/box', body, answer);
  expect(answered).toMatchObject([{ id: removed.id, name: 'a.txt' }]);
  expect(queries[0]?.values).toEqual(values);
  expect(queries.some(({ sql }) => /from _backend\.unclaimed_files f/.test(sql))).toBe(true);
});

test.each([[{ prefixes: [] }], [{ prefixes: Array.from({ length: 1_001 }, () => 'a') }], [{ prefixes: {} }]])(
  'Refuses to remove %.40j (contract §3.2)',
  async (body) => {
    expect((await request('DELETE', '/object/box', body)).body.code).toBe('InvalidRequest');
  },
);

test('Answers a single object that is not there as missing', async () => {
  expect((await request('DELETE', '/object/box/a.txt', undefined, () => [])).body.code).toBe('NoSuchKey');
  expect((await request('DELETE', '/object/box/%C3%A4', undefined, () => [])).body.code).toBe('InvalidKey');
});
