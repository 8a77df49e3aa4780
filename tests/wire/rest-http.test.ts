import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootRest, type RestServer } from '#tests/support/rest-project.ts';

let server: RestServer;
beforeAll(async () => {
  server = await bootRest();
});
afterAll(() => server.stop());

const OBJECT = 'application/vnd.pgrst.object+json';
const OPENAPI = 'application/openapi+json';

/** A write with the service key. */
function write(path: string, method: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return server.call(path, {
    method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { apikey: server.backend.keys.secretKey, 'content-type': 'application/json', ...headers },
  });
}

describe('contract §2.2: content types and preferences', () => {
  test.each([
    [undefined, 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json; charset=utf-8'],
    ['text/csv', 'text/csv; charset=utf-8'],
    [OBJECT, `${OBJECT}; charset=utf-8`],
    [
      'application/vnd.pgrst.array+json;nulls=stripped',
      'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8',
    ],
  ])('Accept: %s → %s', async (accept, type) => {
    const response = await server.call('/authors?id=eq.1', { headers: accept === undefined ? {} : { accept } });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
  });

  test('nulls=stripped leaves nulls out', async () => {
    const response = await server.call('/authors?id=eq.3', { headers: { accept: `${OBJECT};nulls=stripped` } });
    expect(await response.json()).toEqual({ id: 3, name: 'Grace' });
  });

  test('an unknown media type is 406 PGRST107', async () => {
    const response = await server.call('/authors', { headers: { accept: 'text/unknown' } });
    expect(response.status).toBe(406);
    expect(await response.json()).toMatchObject({
      code: 'PGRST107',
      message: 'None of these media types are available: text/unknown',
    });
  });

  test('headers-only gives the Location of a single row, minimal nothing, representation the rows', async () => {
    const headersOnly = await write('/pairs', 'POST', { a: 70, b: 1 }, { prefer: 'return=headers-only' });
    expect([
      headersOnly.status,
      headersOnly.headers.get('location'),
      headersOnly.headers.get('preference-applied'),
      await headersOnly.text(),
    ]).toEqual([201, '/pairs?a=eq.70&b=eq.1', 'return=headers-only', '']);
    const several = [8, 9].map((b) => ({ a: 70, b }));
    const bulk = await write('/pairs', 'POST', several, { prefer: 'return=headers-only' });
    expect([bulk.status, bulk.headers.get('location')]).toEqual([201, null]);
    const listed = await write('/pairs', 'POST', [{ a: 70, b: 7 }], { prefer: 'return=headers-only' });
    expect(listed.headers.get('location')).toBe('/pairs?a=eq.70&b=eq.7');
    const minimal = await write('/pairs', 'POST', { a: 70, b: 2 }, { prefer: 'return=minimal' });
    expect([
      minimal.status,
      minimal.headers.get('location'),
      minimal.headers.get('content-type'),
      await minimal.text(),
    ]).toEqual([201, null, null, '']);
    const shown = await write('/pairs?select=b', 'POST', [{ a: 70, b: 3 }], {
      prefer: 'return=representation,count=exact',
    });
    expect([shown.status, shown.headers.get('content-range'), await shown.json()]).toEqual([201, '*/1', [{ b: 3 }]]);
  });

  test('Preference-Applied names what was heeded and nothing else', async () => {
    const prefer =
      'count=exact, return=representation, resolution=merge-duplicates, missing=default, handling=lenient, foo=bar';
    const response = await write('/pairs', 'POST', { a: 71, b: 1 }, { prefer });
    expect(response.headers.get('preference-applied')).toBe(
      'resolution=merge-duplicates, missing=default, return=representation, count=exact, handling=lenient',
    );
  });

  test('handling=strict refuses unknown preferences with PGRST122', async () => {
    const response = await server.call('/authors', { headers: { prefer: 'handling=strict, foo, count=exact' } });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: 'PGRST122',
      message: 'Invalid preferences given with handling=strict',
      details: 'Invalid preferences: foo',
    });
  });

  test('timezone= sets the zone of the answer', async () => {
    const response = await server.call('/rpc/claims', { headers: { prefer: 'timezone=America/Lima' } });
    expect(await response.json()).toMatchObject({ timezone: 'America/Lima' });
    expect(response.headers.get('preference-applied')).toBe('timezone=America/Lima');
  });

  test('several exposed schemas: the answer names the one it comes from', async () => {
    const response = await server.call('/things', { headers: { 'accept-profile': 'other' } });
    expect([response.headers.get('content-profile'), await response.json()]).toEqual([
      'other',
      [{ id: 1, name: 'thing' }],
    ]);
    const head = await server.call('/things', { method: 'HEAD', headers: { 'accept-profile': 'other' } });
    expect(head.headers.get('content-profile')).toBe('other');
    expect((await server.call('/')).headers.get('content-profile')).toBe('public');
  });
});

describe('bodies', () => {
  test.each([
    ['{', 'Empty or invalid json'],
    ['', 'Empty or invalid json'],
    ['[{"a":1,"b":1},{"a":1}]', 'All object keys must match'],
    ['[{"a":1},2]', 'All object keys must match'],
    [`[${'['.repeat(5000)}${']'.repeat(5000)}]`, 'Empty or invalid json'],
  ])('%.30s is 400 PGRST102', async (body, message) => {
    const response = await write('/pairs', 'POST', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ code: 'PGRST102', message, details: null, hint: null });
  });

  test('threat 18: text/plain, which a foreign page may send unasked, is refused', async () => {
    for (const method of ['POST', 'PATCH', 'PUT']) {
      const response = await write('/pairs?a=eq.1&b=eq.1', method, '{"a":1,"b":1}', { 'content-type': 'text/plain' });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: 'PGRST102',
        message: 'Content-Type not acceptable: text/plain',
      });
    }
    const rpc = await write('/rpc/add', 'POST', '{"a":1}', { 'content-type': 'text/plain' });
    expect([rpc.status, (await rpc.json()).code]).toEqual([404, 'PGRST202']);
  });

  test('a body over the limit is 413 in our shape', async () => {
    const response = await write('/pairs', 'POST', `{"value":"${'x'.repeat(11 * 1024 * 1024)}"}`);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'PGRST102' });
  });

  test('CSV and form bodies', async () => {
    const csv = await write('/shelves', 'POST', 'id,label\r\n50,"a,""b"\r\n51,NULL\r\n', {
      'content-type': 'text/csv',
      prefer: 'return=representation',
    });
    expect(await csv.json()).toEqual([
      { id: 50, label: 'a,"b' },
      { id: 51, label: null },
    ]);
    const form = await write('/shelves', 'POST', 'id=52&label=x+y', {
      'content-type': 'application/x-www-form-urlencoded',
      prefer: 'return=representation',
    });
    expect(await form.json()).toEqual([{ id: 52, label: 'x y' }]);
    const uneven = await write('/shelves', 'POST', 'id,label\n1', { 'content-type': 'text/csv' });
    expect(await uneven.json()).toMatchObject({
      code: 'PGRST102',
      message: 'All lines must have same number of fields',
    });
  });

  test('columns= takes the named keys only; an unknown one is PGRST204', async () => {
    const taken = await write('/shelves?columns=id', 'POST', [{ id: 60, label: 'no', more: 1 }], {
      prefer: 'return=representation',
    });
    expect(await taken.json()).toEqual([{ id: 60, label: null }]);
    const unknown = await write('/shelves?columns=id,nope', 'POST', [{ id: 61 }]);
    expect(unknown.status).toBe(400);
    expect(await unknown.json()).toEqual({
      code: 'PGRST204',
      message: "Could not find the 'nope' column of 'shelves' in the schema cache",
      details: null,
      hint: null,
    });
  });

  test('[] and {} write nothing where there is nothing to write', async () => {
    const none = await write('/shelves', 'POST', [], { prefer: 'return=representation' });
    expect([none.status, await none.json()]).toEqual([201, []]);
    const unchanged = await write('/shelves?id=eq.1', 'PATCH', {}, { prefer: 'return=representation' });
    expect([unchanged.status, await unchanged.json()]).toEqual([200, []]);
    const unfiltered = await write('/shelves', 'PATCH', {});
    expect(unfiltered.status).toBe(204);
    const defaults = await write('/books', 'POST', {});
    expect((await defaults.json()).code).toBe('23502');
    const empty = await write('/numbered', 'POST', [{}, {}], { prefer: 'return=representation' });
    expect([empty.status, await empty.json()]).toEqual([201, [{ id: 1 }, { id: 2 }]]);
    expect((await write('/numbered', 'POST', {})).status).toBe(201);
  });
});

describe('PUT', () => {
  test('inserts or replaces the one row the address names', async () => {
    const prefer = { prefer: 'return=representation' };
    const first = await write('/pairs?a=eq.90&b=eq.1', 'PUT', { a: 90, b: 1, value: 'x' }, prefer);
    expect([first.status, await first.json()]).toEqual([201, [{ a: 90, b: 1, value: 'x' }]]);
    const second = await write('/pairs?a=eq.90&b=eq.1', 'PUT', { a: 90, b: 1, value: 'y' }, prefer);
    expect([second.status, await second.json()]).toEqual([200, [{ a: 90, b: 1, value: 'y' }]]);
    expect((await write('/pairs?a=eq.90&b=eq.1', 'PUT', { a: 90, b: 1, value: 'z' })).status).toBe(204);
  });

  test.each([
    ['/pairs?a=eq.90', 405, 'PGRST105'],
    ['/pairs?a=eq.90&b=gt.1', 405, 'PGRST105'],
    ['/pairs?a=eq.90&b=eq.1&value=eq.z', 405, 'PGRST105'],
    ['/pairs?a=eq.90&b=eq.1&limit=1', 400, 'PGRST114'],
    ['/pairs?a=eq.90&b=eq.2', 400, 'PGRST115'],
  ])('%s → %i %s', async (path, status, code) => {
    const response = await write(path, 'PUT', { a: 90, b: 1, value: 'no' });
    expect([response.status, (await response.json()).code]).toEqual([status, code]);
    expect(await (await server.call('/pairs?a=eq.90&value=eq.no')).json()).toEqual([]);
  });
});

describe('views have the primary keys of the tables they show', () => {
  const stored = async () => (await server.call('/shelves?select=label&id=gte.80&order=id')).json();

  test('merging into a view by POST', async () => {
    const headers = { prefer: 'resolution=merge-duplicates, return=headers-only' };
    const first = await write('/labelled', 'POST', { id: 80, label: 'a' }, headers);
    expect([first.status, first.headers.get('location')]).toEqual([201, '/labelled?id=eq.80']);
    const merged = await write('/labelled', 'POST', { id: 80, label: 'b' }, headers);
    expect([merged.status, merged.headers.get('preference-applied')]).toEqual([
      200,
      'resolution=merge-duplicates, return=headers-only',
    ]);
    const some = await write(
      '/labelled',
      'POST',
      [80, 81].map((id) => ({ id, label: 'c' })),
      headers,
    );
    expect([some.status, await stored()]).toEqual([201, [{ label: 'c' }, { label: 'c' }]]);
    expect((await write('/labelled', 'POST', { id: 80, label: 'd' })).status).toBe(409);
  });

  test('PUT into a view inserts and then replaces', async () => {
    const put = (label: string) =>
      write('/labelled?id=eq.85', 'PUT', { id: 85, label }, { prefer: 'return=representation' });
    const first = await put('x');
    expect([first.status, await first.json()]).toEqual([201, [{ id: 85, label: 'x', loud: 'X' }]]);
    const second = await put('y');
    expect([second.status, await second.json()]).toEqual([200, [{ id: 85, label: 'y', loud: 'Y' }]]);
  });

  test.each([
    ['labelled', ['id']],
    ['parts', ['the {code}', 'number (n)']],
    ['parts_again', ['n', 'c']],
    ['part_numbers', []],
    ['books_of', ['author', 'book']],
  ])('%s: %j', async (name, columns) => {
    const full = await server.call('/', { headers: { apikey: server.backend.keys.secretKey } });
    const properties: Record<string, { description?: string }> = (await full.json()).definitions[name].properties;
    const keys = Object.keys(properties).filter((key) => properties[key]?.description?.includes('<pk/>'));
    expect(keys.toSorted()).toEqual(columns.toSorted());
  });
});

describe('functions', () => {
  test('request settings, and a read-only transaction on GET and for a function that is not volatile', async () => {
    const token = await server.token('00000000-0000-0000-0000-00000000000a');
    const headers = { authorization: `Bearer ${token}`, 'x-probe': 'ä"' };
    expect(await (await server.call('/rpc/claims', { headers: { ...headers, 'x-probe': 'p' } })).json()).toMatchObject({
      role: 'authenticated',
      sub: '00000000-0000-0000-0000-00000000000a',
      method: 'GET',
      path: '/rpc/claims',
      header: 'p',
      read_only: 'on',
    });
    expect(await (await server.call('/rpc/claims', { method: 'POST' })).json()).toMatchObject({
      role: 'anon',
      method: 'POST',
      read_only: 'off',
    });
    expect(await (await server.call('/rpc/stable_read_only', { method: 'POST' })).json()).toBe('on');
  });

  test('a function that writes is refused on GET with 405 25006', async () => {
    const response = await server.call('/rpc/rename_all?suffix=x');
    expect([response.status, (await response.json()).code]).toEqual([405, '25006']);
  });

  test('a function that is declared stable and writes is refused on POST with 405 25006', async () => {
    const response = await write('/rpc/stable_writer', 'POST', { name: 'no' });
    expect([response.status, (await response.json()).code]).toEqual([405, '25006']);
  });

  test('text and JSON bodies as a single unnamed argument', async () => {
    expect(await (await write('/rpc/shout', 'POST', 'abc', { 'content-type': 'text/plain' })).json()).toBe('ABC');
    expect(await (await write('/rpc/whole', 'POST', '[{"a":1},{"a":"x"}]')).json()).toEqual([{ a: 1 }, { a: 'x' }]);
    expect(await (await write('/rpc/whole?columns=a', 'POST', '[1,"a"]')).json()).toEqual([1, 'a']);
    expect(await (await write('/rpc/whole', 'POST', '5')).json()).toEqual([]);
  });

  test('a list of objects gives the arguments of the first one; they must have the same keys', async () => {
    expect(
      await (
        await write('/rpc/add', 'POST', [
          { a: 1, b: 2 },
          { a: 3, b: 4 },
        ])
      ).json(),
    ).toBe(3);
    expect(await (await write('/rpc/add', 'POST', [{ a: 1 }])).json()).toBe(11);
    for (const body of [
      [{ a: 1 }, { b: 2 }],
      [1, 'a'],
    ]) {
      const uneven = await write('/rpc/add', 'POST', body);
      expect([uneven.status, (await uneven.json()).message]).toEqual([400, 'All object keys must match']);
    }
  });

  test('GET with repeated values fills a variadic argument', async () => {
    expect(await (await server.call('/rpc/variadic_sum?v=1&v=2&v=3')).json()).toBe(6);
  });

  test('response.status and response.headers speak for the function; a bad one is PGRST111', async () => {
    const tea = await server.call('/rpc/teapot', { method: 'POST' });
    expect([tea.status, tea.headers.get('x-tea'), tea.headers.get('cache-control'), await tea.json()]).toEqual([
      418,
      'Assam',
      'no-store',
      'short and stout',
    ]);
    const broken = await server.call('/rpc/broken_headers', { method: 'POST' });
    expect([broken.status, (await broken.json()).code]).toEqual([500, 'PGRST111']);
  });

  test('a function that returns nothing answers 204 with its one row in Content-Range', async () => {
    const response = await write('/rpc/add_author', 'POST', { name: 'Range' }, { prefer: 'tx=rollback' });
    expect([response.status, response.headers.get('content-range')]).toEqual([204, '0-0/*']);
    expect([response.headers.get('content-type'), response.headers.get('content-profile')]).toEqual([null, null]);
  });

  test('other methods are 405 PGRST101', async () => {
    const response = await server.call('/rpc/add', { method: 'PUT', body: '{}' });
    expect([response.status, await response.json()]).toMatchObject([
      405,
      { code: 'PGRST101', message: 'Cannot use the PUT method on RPC' },
    ]);
  });

  test('max-affected on a function that returns no set is PGRST128', async () => {
    const response = await write('/rpc/add', 'POST', { a: 1 }, { prefer: 'handling=strict,max-affected=1' });
    expect([response.status, (await response.json()).code]).toEqual([400, 'PGRST128']);
    const many = await write('/rpc/rename_all', 'POST', { suffix: 'zz' }, { prefer: 'handling=strict,max-affected=1' });
    expect([many.status, (await many.json()).code]).toEqual([400, 'PGRST124']);
    expect(await (await server.call('/authors?country=eq.zz')).json()).toEqual([]);
  });
});

test('OPTIONS: a preflight is answered before any credential is looked at; a plain one names the methods', async () => {
  const preflight = await server.call('/books', {
    method: 'OPTIONS',
    headers: {
      origin: 'https://elsewhere.test',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'prefer,x-interview-key',
      authorization: 'Bearer nonsense',
    },
  });
  expect([
    preflight.status,
    preflight.headers.get('access-control-allow-origin'),
    preflight.headers.get('access-control-allow-headers'),
  ]).toEqual([204, '*', 'prefer,x-interview-key']);
  const allow = async (path: string): Promise<string | null> =>
    (await server.call(path, { method: 'OPTIONS' })).headers.get('allow');
  expect(await allow('/books')).toBe('OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE');
  expect(await allow('/rpc/years')).toBe('OPTIONS,GET,HEAD,POST');
  expect(await allow('/rpc/teapot')).toBe('OPTIONS,POST');
});

test.each([
  ['/book', {}, 404, 'PGRST205'],
  ['/things', {}, 404, 'PGRST205'],
  ['/rpc/nothing', {}, 404, 'PGRST202'],
  ['/rpc/add', {}, 404, 'PGRST202'],
  ['/books', { 'accept-profile': 'hidden' }, 406, 'PGRST106'],
])('OPTIONS %s %j is %i %s', async (path, headers, status, code) => {
  const response = await server.call(path, { method: 'OPTIONS', headers: headers as Record<string, string> });
  expect([response.status, response.headers.get('content-type'), response.headers.get('proxy-status')]).toEqual([
    status,
    'application/json; charset=utf-8',
    `PostgREST; error=${code}`,
  ]);
  expect((await response.json()).code).toBe(code);
});

test('OPTIONS of a table in another schema names its methods', async () => {
  const response = await server.call('/things', { method: 'OPTIONS', headers: { 'accept-profile': 'other' } });
  expect([response.status, response.headers.get('allow')]).toEqual([200, 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE']);
});

test('a method nobody knows is 405 PGRST117', async () => {
  const { port } = new URL(server.url);
  const answer = await new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    request({ port, host: '127.0.0.1', path: '/rest/v1/books', method: 'TRACE' }, (response) => {
      let body = '';
      response.on('data', (chunk: Buffer) => (body += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode, body }));
    })
      .on('error', reject)
      .end();
  });
  expect(answer.status).toBe(405);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'PGRST117', message: 'Unsupported HTTP method: TRACE' });
});

test('GET / describes the schema to the service and to nobody else', async () => {
  const key = server.backend.keys.secretKey;
  const full = await (await server.call('/', { headers: { apikey: key } })).json();
  expect(full.definitions.authors.properties.name).toEqual({ type: 'string', format: 'text' });
  expect(Object.keys((await (await server.call('/')).json()).paths)).toEqual([]);
});

describe('the description of GET /', () => {
  const describeAll = async () =>
    (await server.call('/', { headers: { apikey: server.backend.keys.secretKey, accept: OPENAPI } })).json();

  test('gives types, formats, defaults, labels and lengths', async () => {
    const { moods } = (await describeAll()).definitions;
    expect(moods.required).toEqual(['id', 'mood', 'label']);
    expect(moods.properties).toEqual({
      id: {
        type: 'string',
        format: 'uuid',
        default: 'gen_random_uuid()',
        description: 'Note:\nThis is a Primary Key.<pk/>',
      },
      mood: { type: 'string', format: 'public.mood', default: 'good', enum: ['good', 'bad'] },
      label: { type: 'string', format: 'character varying', default: 'none', maxLength: 10 },
      words: { type: 'array', format: 'text[]', items: { type: 'string' } },
      extra: { format: 'jsonb' },
      at: { type: 'string', format: 'timestamp with time zone', default: 'now()' },
      many: { type: 'integer', format: 'int32', default: 3 },
    });
  });

  test('gives comments and notes of keys', async () => {
    const { teams } = (await describeAll()).definitions;
    expect(teams.description).toBe('Teams\nand who leads them');
    expect(teams.properties.name.description).toBe('As the fans say it');
    expect(teams.properties.leader.description).toBe(
      "Note:\nThis is a Foreign Key to `teams.id`.<fk table='teams' column='id'/>",
    );
  });

  test('gives the methods with their parameters', async () => {
    const { paths, parameters } = await describeAll();
    expect(Object.keys(paths['/teams'])).toEqual(['get', 'post', 'patch', 'delete']);
    expect(paths['/teams'].get).toMatchObject({ tags: ['teams'], summary: 'Teams', description: 'and who leads them' });
    expect(paths['/teams'].delete.parameters).toEqual([
      { $ref: '#/parameters/rowFilter.teams.id' },
      { $ref: '#/parameters/rowFilter.teams.name' },
      { $ref: '#/parameters/rowFilter.teams.leader' },
      { $ref: '#/parameters/preferReturn' },
    ]);
    expect(parameters['rowFilter.teams.id']).toEqual({ name: 'id', required: false, in: 'query', type: 'string' });
    expect(parameters['body.teams']).toMatchObject({ in: 'body', schema: { $ref: '#/definitions/teams' } });
    const { get, post } = paths['/rpc/add'];
    expect(get.parameters).toEqual([
      { name: 'a', in: 'query', required: true, type: 'integer', format: 'int32' },
      { name: 'b', in: 'query', required: false, type: 'integer', format: 'int32' },
    ]);
    expect(post.parameters[0].schema).toMatchObject({ required: ['a'], properties: { a: { type: 'integer' } } });
    expect(Object.keys(paths['/rpc/rename_all'])).toEqual(['post']);
  });
});
