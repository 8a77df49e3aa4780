import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootRest, type RestServer } from '#tests/support/rest-project.ts';

let server: RestServer;
beforeAll(async () => {
  server = await bootRest();
});
afterAll(() => server.stop());

/** A write with the service key. */
function write(path: string, method: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return server.call(path, {
    method,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { apikey: server.backend.keys.secretKey, 'content-type': 'application/json', ...headers },
  });
}

async function ids(query: string): Promise<unknown> {
  const response = await server.call(`/books?select=id&order=id&${query}`);
  const rows: unknown = await response.json();
  return Array.isArray(rows) ? rows.map((row: { id: number }) => row.id) : rows;
}

describe('the grammar of filters, each operator against rows', () => {
  test.each([
    ['id=eq.1', [1]],
    ['id=neq.1', [2, 3, 4]],
    ['id=gt.3', [4]],
    ['id=gte.3', [3, 4]],
    ['id=lt.2', [1]],
    ['id=lte.2', [1, 2]],
    ['title=like.E*', [1]],
    ['title=ilike.*KAL*', [3]],
    ['title=match.^Co', [4]],
    ['title=imatch.^co', [4]],
    ['id=in.(1,3)', [1, 3]],
    ['id=in.()', []],
    ['title=in.("Notes, \\"quoted\\" (really)",Engines)', [1, 2]],
    ['sold=is.null', [3]],
    ['sold=is.not_null', [1, 2, 4]],
    ['sold=is.true', [1, 4]],
    ['sold=is.false', [2]],
    ['sold=is.unknown', [3]],
    ['sold=isdistinct.true', [2, 3]],
    ['tags=cs.{old}', [1, 2]],
    ['tags=cd.{old,math}', [1, 2, 3]],
    ['tags=ov.{new,math}', [1, 4]],
    ['span=sl.[5,9)', [1]],
    ['span=sr.[5,9)', [3]],
    ['span=nxr.[5,9)', [1, 2]],
    ['span=nxl.[5,9)', [2, 3]],
    ['span=adj.[5,9)', [1]],
    ['data=cs.{"n":5}', [1]],
    ['search=fts.engine', [1]],
    ['search=plfts(english).compiler', [4]],
    ['title=phfts(english).quoted really', [2]],
    ['search=wfts.engine or compiler', [1, 4]],
    ['id=not.eq.1', [2, 3, 4]],
    ['sold=not.is.null', [1, 2, 4]],
    ['id=not.in.(1,2)', [3, 4]],
    ['search=not.fts.engine', [2, 3, 4]],
    ['id=eq(any).{1,4}', [1, 4]],
    ['title=like(any).{E*,C*}', [1, 4]],
    ['title=like(all).{*e*,*n*}', [1, 3]],
    ['year=gt(all).{1843,1850}', [3, 4]],
    ['or=(id.eq.1,and(id.gt.2,not.sold.is.null))', [1, 4]],
    ['not.or=(id.eq.1,id.eq.2)', [3, 4]],
    ['and=(id.gt.1,or(id.eq.2,id.eq.4))', [2, 4]],
    ['or=(title.in.(Engines,Compilers),tags.cs.{})&id=lt.3', [1, 2]],
    ['data->n=eq.5', [1]],
    ['data->>n=eq.7', [2]],
    ['data->a->>b=eq.deep', [1]],
    ['data->list->>1=eq.2', [1]],
    ['tags->>0=eq.math', [4]],
    ['published=gt.1900-01-01', [3]],
    ['price=eq.9.9&id=gt.2', [3, 4]],
    ['limit=2', [1, 2]],
    ['limit=2&offset=1', [2, 3]],
    ['limit=0', []],
    ['id=gte.2&id=lte.3', [2, 3]],
    ['full_title=eq.Engines (1843)', [1]],
  ])('%s', async (query, expected) => expect(await ids(encodeURI(query))).toEqual(expected));

  test.each([
    ['order=year.desc&limit=1', [4]],
    ['order=sold.nullsfirst,id&limit=1', [3]],
    ['order=sold.desc.nullslast,id.desc&limit=2', [4, 1]],
    ['order=data->>n.desc.nullslast,id&limit=2', [2, 1]],
  ])('%s', async (query, expected) => {
    const rows: { id: number }[] = await (await server.call(`/books?select=id&${query}`)).json();
    expect(rows.map((row) => row.id)).toEqual(expected);
  });

  test('select: alias, cast, JSON paths, computed columns, odd names, an empty list', async () => {
    const books = await server.call(
      '/books?select=name:title,year::text,data->a->>b,n:data->n,first:tags->>0,full_title&id=eq.1',
    );
    expect(await books.json()).toEqual([
      { name: 'Engines', year: '1843', b: 'deep', n: 5, first: 'old', full_title: 'Engines (1843)' },
    ]);
    const odd = await server.call(`/Odd%20Name?select=${encodeURIComponent('"weird \\"col",a-b')}&a-b=eq.y`);
    expect(await odd.json()).toEqual([{ 'weird "col': 'x', 'a-b': 'y' }]);
    const whole: unknown = await (await server.call('/shelves')).json();
    expect(whole).toMatchObject([{ id: expect.any(Number) }, { id: expect.any(Number) }]);
    expect(await (await server.call('/shelves?select=')).json()).toEqual(whole);
    // The name that the statement itself uses for the row.
    expect(await (await server.call('/books?select=one:title&id=eq.1')).json()).toEqual([{ one: 'Engines' }]);
  });
});

describe('contract §2.2: ranges and counts', () => {
  test.each([
    ['/books?select=id', {}, 200, '0-3/*'],
    ['/books?select=id&id=eq.99', {}, 200, '*/*'],
    ['/books?select=id&id=eq.99', { prefer: 'count=exact' }, 200, '*/0'],
    ['/books?select=id', { prefer: 'count=exact' }, 200, '0-3/4'],
    ['/books?select=id', { prefer: 'count=exact', range: '1-2' }, 206, '1-2/4'],
    ['/books?select=id', { range: '2-' }, 200, '2-3/*'],
    ['/books?select=id', { range: 'bytes=0-0' }, 200, '0-3/*'],
    ['/books?select=id&limit=3', { prefer: 'count=exact', range: '1-9' }, 206, '1-2/4'],
    ['/books?select=id&offset=4', { prefer: 'count=exact' }, 206, '*/4'],
    ['/books?select=id&limit=0', { prefer: 'count=exact' }, 206, '*/4'],
  ])('%s %j → %i %s', async (path, headers, status, range) => {
    const response = await server.call(path, { headers: headers as Record<string, string> });
    expect([response.status, response.headers.get('content-range')]).toEqual([status, range]);
  });

  test.each([
    ['/books?offset=5', { prefer: 'count=exact' }, 'An offset of 5 was requested, but there are only 4 rows.'],
    [
      '/books',
      { range: '5-2' },
      'The lower boundary must be lower than or equal to the upper boundary in the Range header.',
    ],
    ['/books?limit=-1', {}, 'Limit should be greater than or equal to zero.'],
  ])('%s %j is 416 PGRST103', async (path, headers, details) => {
    const response = await server.call(path, { headers: headers as Record<string, string> });
    expect(response.status).toBe(416);
    expect(await response.json()).toEqual({
      code: 'PGRST103',
      message: 'Requested range not satisfiable',
      details,
      hint: null,
    });
  });

  test('HEAD answers like GET without a body', async () => {
    const response = await server.call('/books?limit=1', { method: 'HEAD', headers: { prefer: 'count=exact' } });
    expect([response.status, response.headers.get('content-range'), await response.text()]).toEqual([206, '0-0/4', '']);
  });

  test('max_rows caps silently, whatever the request says', async () => {
    const rows = Array.from({ length: 60 }, (_, at) => ({ a: 1000, b: at }));
    expect((await write('/pairs', 'POST', JSON.stringify(rows))).status).toBe(201);
    const capped = await server.call('/pairs?select=b&a=eq.1000&limit=55', { headers: { prefer: 'count=exact' } });
    expect([capped.status, capped.headers.get('content-range')]).toEqual([206, '0-49/60']);
    expect(await capped.json()).toHaveLength(50);
    expect((await write('/pairs?a=eq.1000', 'DELETE', '')).status).toBe(204);
  });

  test('count=planned with a filter asks the planner', async () => {
    const response = await server.call('/books?select=id,data->>n&id=gt.1&limit=1', {
      headers: { prefer: 'count=planned' },
    });
    expect(response.headers.get('content-range')).toMatch(/^0-0\/\d+$/);
    expect(response.headers.get('preference-applied')).toBe('count=planned');
  });
});
