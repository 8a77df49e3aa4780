import { expect, test } from 'vitest';
import { openFakeService, USER, type Answer } from '#tests/support/storage-fakes.ts';

async function post(url: string, payload: object, answer?: Answer) {
  const { app, queries } = await openFakeService(answer === undefined ? {} : { answer });
  const response = await app.inject({ method: 'POST', url, headers: USER, payload });
  return { status: response.statusCode, body: response.json(), queries };
}

test.each([
  [{ prefix: '' }, ['box', '', null, '', 1, 100, 0]],
  [{ prefix: 'a' }, ['box', 'a/', 'a0', '', 1, 100, 0]],
  [{ prefix: 'a/b/' }, ['box', 'a/b/', 'a/b0', '', 1, 100, 0]],
  [{ prefix: '', limit: 5_000, offset: 20 }, ['box', '', null, '', 1, 1_500, 20]],
  [{ prefix: 'a', search: 'b/c' }, ['box', 'a/', 'a0', 'b/c', 2, 100, 0]],
  [{ prefix: '', search: null }, ['box', '', null, '', 1, 100, 0]],
  [{ prefix: null, limit: '10', offset: '1e1' }, ['box', '', null, '', 1, 10, 10]],
  [{ prefix: 7, limit: ['10'], offset: null }, ['box', '7/', '70', '', 1, 10, 0]],
  [{ prefix: ['a'], search: true }, ['box', 'a/', 'a0', 'true', 1, 100, 0]],
  [{ prefix: '', sortBy: { order: ['asc'] } }, ['box', '', null, '', 1, 100, 0]],
])('Lists the level %j within its range (contract §3.2)', async (body, values) => {
  const { status, queries } = await post('/object/list/box', body);
  expect(status).toBe(200);
  expect(queries[0]?.values).toEqual(values);
  expect(queries[0]?.context).toMatchObject({ role: 'authenticated', readOnly: true });
  expect(queries[0]?.context?.settings).toMatchObject({ 'storage.operation': 'storage.object.list' });
});

test.each([
  [{ column: 'name', order: 'asc' }, 'order by lower(name) collate "C" asc, name collate "C" asc'],
  [{ column: 'name', order: 'desc' }, 'order by lower(name) collate "C" desc, name collate "C" desc'],
  [{ column: 'updated_at' }, 'order by (id is not null), updated_at asc, lower(name) collate "C" asc'],
  [{ column: 'last_accessed_at', order: 'desc' }, 'order by (id is not null), last_accessed_at desc'],
  [{}, 'order by lower(name) collate "C" asc'],
])('Sorts by %j (contract §3.2)', async (sortBy, order) => {
  const { queries } = await post('/object/list/box', { prefix: '', sortBy });
  expect(queries[0]?.sql).toContain(order);
});

test.each(['/object/list/box', '/object/list-v2/box'])(
  'Refuses other sort orders at %s (contract §3.2)',
  async (url) => {
    for (const sortBy of [{ column: 'owner' }, { column: 'name; drop' }, { order: 'ASC' }, { order: 'asc, 1' }]) {
      const { status, body, queries } = await post(url, { prefix: '', sortBy });
      expect([status, body.code, queries]).toEqual([400, 'InvalidRequest', []]);
    }
  },
);

test.each([
  ['/object/list/box', { prefix: 'ä' }, []],
  ['/object/list/box', { prefix: 'a\u0000' }, []],
  ['/object/list-v2/box', { prefix: '"' }, { hasNext: false, folders: [], objects: [] }],
])('Finds nothing at %s below %j, which no key can have', async (url, payload, empty) => {
  const { status, body, queries } = await post(url, payload);
  expect([status, body, queries]).toEqual([200, empty, []]);
});

test.each([
  [{ limit: 0 }, 'body/limit'],
  [{ limit: 1.5 }, 'body/limit'],
  [{ limit: '1.5' }, 'body/limit'],
  [{ limit: '' }, 'body/limit'],
  [{ limit: null }, 'body/limit'],
  [{ limit: '1e400' }, 'body/limit'],
  [{ limit: [1, 2] }, 'body/limit'],
  [{ limit: {} }, 'body/limit'],
  [{ offset: -1 }, 'body/offset'],
  [{ search: {} }, 'body/search'],
  [{ prefix: ['a', 'b'] }, 'body/prefix'],
])('Names the member %j that is wrong (contract §3.1)', async (change, member) => {
  const { status, body } = await post('/object/list/box', { prefix: '', ...change });
  expect([status, body.code]).toEqual([400, 'InvalidRequest']);
  expect(body.message).toContain(member);
});

const FILE = { id: 'i', updated_at: null, created_at: null, last_accessed_at: null, metadata: null };
const FOLDER = { ...FILE, id: null, name: 'a/b/', time: '-infinity' };
const rows = [
  FOLDER,
  { ...FILE, name: 'a/x', time: '2026-01-02T03:04:05.000006Z' },
  { ...FILE, name: 'a/y', time: '' },
];

test('Splits a page into folders and files, with a cursor for the next (contract §3.2)', async () => {
  const first = await post('/object/list-v2/box', { prefix: 'a/', limit: 2, with_delimiter: true }, () => rows);
  expect(first.queries[0]?.values).toEqual(['box', 'a/', 'a0', true, null, null, 3]);
  expect(first.body).toMatchObject({
    hasNext: true,
    nextCursorKey: 'a/x',
    folders: [{ name: 'a/b/', key: 'b' }],
    objects: [{ name: 'a/x', key: 'a/x', id: 'i' }],
  });
  expect(first.body.objects[0]).not.toHaveProperty('time');
  const sortBy = { column: 'created_at', order: 'desc' };
  const next = await post('/object/list-v2/box', { prefix: 'a/', cursor: first.body.nextCursor, sortBy });
  expect(next.queries[0]?.values.slice(4, 6)).toEqual(['2026-01-02T03:04:05.000006Z', 'a/x']);
  // The cursor keeps the order of the first page.
  expect(next.queries[0]?.sql).toContain('order by entries.time asc');
});

test('Names the last entry of a page, a folder without its slash (contract §3.2)', async () => {
  const { body } = await post('/object/list-v2/box', { prefix: 'a/', limit: 1, with_delimiter: true }, () => rows);
  expect(body).toMatchObject({ hasNext: true, nextCursorKey: 'a/b', folders: [{ name: 'a/b/' }] });
});

test.each([
  [{ prefix: null, with_delimiter: 'true', limit: '2' }, ['', true, 3]],
  [{ prefix: 'a', with_delimiter: 1 }, ['a', true, 1_001]],
  [{ cursor: null, with_delimiter: null }, ['', false, 1_001]],
])('Reads the page %j as upstream’s validator does (contract §3.2)', async (page, values) => {
  const { status, queries } = await post('/object/list-v2/box', page);
  expect(status).toBe(200);
  expect([queries[0]?.values[1], queries[0]?.values[3], queries[0]?.values[6]]).toEqual(values);
});

test('Ends a list without a cursor', async () => {
  const { body } = await post('/object/list-v2/box', { limit: 3 }, () => rows);
  expect(body.hasNext).toBe(false);
  expect(body).not.toHaveProperty('nextCursor');
  expect(body).not.toHaveProperty('nextCursorKey');
  const { queries } = await post('/object/list-v2/box', { limit: 9_999 });
  expect(queries[0]?.values.at(-1)).toBe(1_001);
});

const encode = (cursor: unknown): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

test.each([
  'nonsense',
  encode({ name: 'a' }),
  encode({ name: 'a', time: 'now()' }),
  encode({ name: 'a', time: 'infinity', column: 'owner' }),
  encode({ name: 'a', time: 'infinity', order: 'asc; drop' }),
])('Refuses the cursor %s (contract §3.2)', async (cursor) => {
  const { status, body, queries } = await post('/object/list-v2/box', { cursor });
  expect([status, body.message, queries]).toEqual([400, 'Invalid Parameter cursor', []]);
});
