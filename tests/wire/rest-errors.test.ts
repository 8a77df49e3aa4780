import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootRest, type RestServer } from '#tests/support/rest-project.ts';

const A = '00000000-0000-0000-0000-00000000000a';
let server: RestServer;
beforeAll(async () => {
  server = await bootRest();
});
afterAll(() => server.stop());

async function outcome(path: string, init: RequestInit = {}): Promise<unknown[]> {
  const response = await server.call(path, init);
  const body = await response.json();
  return [response.status, body.code, body.message, body.details, body.hint];
}

function service(method: string, body: unknown): RequestInit {
  const headers = { apikey: server.backend.keys.secretKey, 'content-type': 'application/json' };
  return { method, headers, body: JSON.stringify(body) };
}

describe('contract §2.3: what is not there', () => {
  test('an unknown table is PGRST205 and the likely one is named', async () => {
    expect(await outcome('/author')).toEqual([
      404,
      'PGRST205',
      "Could not find the table 'public.author' in the schema cache",
      null,
      "Perhaps you meant the table 'public.authors'",
    ]);
    expect((await outcome('/entirely_else'))[4]).toBeNull();
    expect((await outcome('/secrets'))[1]).toBe('PGRST205');
  });

  test('an unknown column in select, filter, order or tree is 42703', async () => {
    for (const query of ['select=nope', 'nope=eq.1', 'order=nope', 'or=(nope.eq.1,id.eq.1)', 'nope->a=eq.1']) {
      expect((await outcome(`/authors?${query}`)).slice(0, 3)).toEqual([
        400,
        '42703',
        'column authors.nope does not exist',
      ]);
    }
    expect((await outcome('/authors?select=nam'))[4]).toBe('Perhaps you meant to reference the column "authors.name".');
  });

  test('an unknown key of a body is PGRST204, by POST and by PATCH', async () => {
    const expected = [400, 'PGRST204', "Could not find the 'nope' column of 'authors' in the schema cache", null, null];
    expect(await outcome('/authors', service('POST', { nope: 1 }))).toEqual(expected);
    expect(await outcome('/authors?id=eq.1', service('PATCH', { nope: 1 }))).toEqual(expected);
  });

  test('a search that nests too deeply is a mistake of the caller', async () => {
    const deep = { fts: '!'.repeat(9_000), wfts: `${'-'.repeat(9_000)}a` };
    for (const [operator, text] of Object.entries(deep))
      expect((await outcome(`/authors?name=${operator}.${encodeURIComponent(text)}`)).slice(0, 3)).toEqual([
        400,
        'XX000',
        'tsquery stack too small',
      ]);
  });

  test('an unknown path is PGRST125, an unknown type 42704, a broken query PGRST100', async () => {
    expect((await outcome('/a/b/c')).slice(0, 2)).toEqual([404, 'PGRST125']);
    expect((await outcome('/authors?select=id::nope')).slice(0, 3)).toEqual([
      400,
      '42704',
      'type "nope" does not exist',
    ]);
    expect(await outcome('/authors?id=1')).toEqual([
      400,
      'PGRST100',
      '"failed to parse filter (1)" (line 1, column 1)',
      'unexpected "1" expecting "not" or operator (eq, gt, ...)',
      null,
    ]);
    expect((await outcome('/authors?select=count()')).slice(0, 2)).toEqual([400, 'PGRST123']);
  });

  test('a table, a column and a function made later are found without a restart', async () => {
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    expect((await server.call('/later')).status).toBe(404);
    await client.query('create table later (id int primary key); grant all on later to anon, service_role');
    expect((await server.call('/later')).status).toBe(200);
    expect((await outcome('/later?select=added'))[1]).toBe('42703');
    await client.query('alter table later add added text');
    expect((await server.call('/later?select=added')).status).toBe(200);
    expect((await server.call('/rpc/later_on')).status).toBe(404);
    await client.query(`create function later_on() returns int language sql immutable as 'select 7'`);
    expect(await (await server.call('/rpc/later_on')).json()).toBe(7);
    await client.query('drop table later');
    expect((await outcome('/later')).slice(0, 2)).toEqual([404, '42P01']);
    await client.end();
  });
});

describe('contract §2.3: what the database refuses', () => {
  test.each([
    ['23505', 409, '/authors', service2('POST', { name: 'Ada' })],
    ['23503', 409, '/books', service2('POST', { title: 't', author_id: 999 })],
    ['23502', 400, '/books', service2('POST', { title: null })],
    ['22P02', 400, '/authors?id=eq.x', undefined],
    ['22001', 400, '/shelves', service2('POST', { id: 900, label: 'far too long a label' })],
    ['22003', 400, '/authors?id=eq.99999999999999999999', undefined],
    ['2201B', 400, '/authors?name=match.(', undefined],
    ['22P02', 400, '/books?tags=cs.x', undefined],
    ['42883', 404, '/authors?id=like.x', undefined],
    [
      '42P10',
      400,
      '/authors?on_conflict=country',
      { ...service2('POST', { name: 'q' }), prefer: 'resolution=merge-duplicates' },
    ],
  ] as const)('%s → %i (%s)', async (code, status, path, init) => {
    expect((await outcome(path, made(init))).slice(0, 2)).toEqual([status, code]);
  });

  test.each([
    ['P0001', 400],
    ['PT402', 402],
    ['42501', 401],
    ['28000', 403],
    ['0LP01', 403],
    ['40001', 500],
    ['53000', 503],
    ['53400', 500],
    ['54000', 500],
    ['55000', 500],
    ['57014', 500],
    ['58000', 500],
    ['XX000', 500],
    ['08006', 503],
    ['P0002', 500],
    ['22012', 400],
    ['PTXXX', 500],
  ])('raised by a function: %s → %i', async (code, status) => {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, message: 'no' }),
    };
    expect(await outcome('/rpc/fail_with', init)).toEqual([status, code, 'no', 'a detail', 'a hint']);
  });

  test("raised as SQLSTATE 'PGRST' the function writes the whole answer", async () => {
    const response = await server.call('/rpc/raise_pgrst', { method: 'POST' });
    expect([response.status, response.headers.get('x-powered-by')]).toEqual([402, 'Nerd']);
    expect(await response.json()).toEqual({ code: '123', message: 'Pay', details: 'Quota', hint: 'Upgrade' });
  });

  test('a refusal to anon asks for a credential', async () => {
    const response = await server.call('/closed');
    expect([response.status, response.headers.get('www-authenticate'), response.headers.get('proxy-status')]).toEqual([
      401,
      'Bearer',
      'PostgREST; error=42501',
    ]);
  });
});

type Init = { method: string; body: unknown; prefer?: string } | undefined;

function service2(method: string, body: unknown): NonNullable<Init> {
  return { method, body };
}

function made(init: Init): RequestInit {
  if (init === undefined) return {};
  const { headers, ...rest } = service(init.method, init.body);
  return {
    ...rest,
    headers: {
      ...Object.fromEntries(new Headers(headers)),
      ...(init.prefer === undefined ? {} : { prefer: init.prefer }),
    },
  };
}

describe('contract §2.3: tokens', () => {
  test.each([
    ['x', 'PGRST301', 'Expected 3 parts in JWT; got 1'],
    ['a.b.c', 'PGRST301', 'JWT cryptographic operation failed'],
    ['', 'PGRST301', 'Empty JWT is sent in Authorization header'],
  ])('Bearer %j → 401 %s', async (bearer, code, message) => {
    const response = await server.call('/authors', { headers: { authorization: `Bearer ${bearer}` } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", error_description="${message}"`,
    );
    expect(await response.json()).toMatchObject({ code, message });
  });

  test('expired, early, foreign and role-less tokens', async () => {
    const now = Math.floor(Date.now() / 1000);
    const as = async (more: Record<string, unknown>): Promise<unknown[]> =>
      (await outcome('/authors', { headers: { authorization: `Bearer ${await server.token(A, more)}` } })).slice(0, 3);
    expect(await as({ exp: now - 60 })).toEqual([401, 'PGRST303', 'JWT expired']);
    expect(await as({ nbf: now + 600 })).toEqual([401, 'PGRST303', 'JWT not yet valid']);
    expect(await as({ aud: 'other' })).toEqual([401, 'PGRST303', 'JWT not in audience']);
    expect(await as({ iss: 'https://elsewhere.test' })).toEqual([401, 'PGRST303', 'JWT issuer not accepted']);
    expect(await as({ role: 'nobody_we_know' })).toEqual([401, '22023', 'role "nobody_we_know" does not exist']);
    expect((await as({ role: 'postgres' })).slice(0, 2)).toEqual([403, '42501']);
  });

  test('threat 15: a token with another signature, or none, is refused right after the true one was accepted', async () => {
    const token = await server.token(A);
    const [head = '', claims = ''] = token.split('.');
    expect((await server.call('/authors', { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const wider = Buffer.from(JSON.stringify({ role: 'service_role' })).toString('base64url');
    for (const forged of [
      `${head}.${claims}.${'A'.repeat(86)}`,
      `${none}.${claims}.`,
      `${head}.${wider}.${token.split('.')[2]}`,
    ]) {
      expect((await server.call('/authors', { headers: { authorization: `Bearer ${forged}` } })).status).toBe(401);
    }
  });
});

describe('nothing a caller writes brings the server down', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'id',
      'title',
      'data->a',
      'select',
      'order',
      'or',
      'and',
      'not.or',
      'limit',
      'offset',
      'columns',
      'on_conflict',
      'authors.name',
      'tags',
      'span',
      'search',
    ),
    fc.string({ maxLength: 8 }),
  );
  const value = fc.oneof(
    fc.string({ maxLength: 12, unit: 'binary' }),
    fc.constantFrom(
      'eq.1',
      'in.(1,"2)',
      'not.is.null',
      'cs.{',
      'fts(nope).x',
      'like(any).{a',
      'title,authors(name)',
      '*,...authors(*)',
      '(id.eq.1,or(',
      'data->>a.desc',
      '-1',
      '1e9',
      "eq.'; drop table books; --",
      'eq.\u0000',
    ),
  );
  const query = fc
    .array(fc.tuple(name, value), { maxLength: 4 })
    .map((list) => list.map(([key, text]) => `${enc(key)}=${enc(text)}`).join('&'));
  const body = fc.oneof(
    fc.json({ maxDepth: 3 }),
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      '{}',
      '[]',
      '[{}]',
      '[{},{}]',
      'null',
      '{"title":{"a":[]},"tags":5}',
      '[{"id":"x"}]',
      '{"title":"\\u0000"}',
      '{"\\ud800":1}',
      '{"data":{"a":"\\u0000"}}',
    ),
  );
  const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE');
  const target = fc.constantFrom(
    '/books',
    '/authors',
    '/pairs',
    '/rpc/add',
    '/rpc/all_books',
    '/rpc/greet%20me',
    '/rpc/whole',
    '/Odd%20Name',
  );

  test('generated queries, bodies and headers: never a 5xx', async () => {
    const prefer = fc.constantFrom(
      '',
      'return=representation',
      'resolution=merge-duplicates,return=representation',
      'count=exact',
      'count=planned',
      'missing=default',
      'handling=strict',
      'tx=rollback,return=headers-only',
    );
    const accept = fc.constantFrom('*/*', 'text/csv', 'application/vnd.pgrst.object+json', 'nonsense');
    await fc.assert(
      fc.asyncProperty(
        target,
        method,
        query,
        body,
        prefer,
        accept,
        async (path, verb, search, text, preferred, accepted) => {
          const bare = verb === 'GET' || verb === 'HEAD';
          const response = await server.call(`${path}?${search}`, {
            method: verb,
            headers: {
              accept: accepted,
              prefer: `${preferred}${preferred === '' ? '' : ','}tx=rollback`,
              apikey: server.backend.keys.secretKey,
              'content-type': 'application/json',
            },
            ...(bare ? {} : { body: text }),
          });
          await response.text();
          expect(response.status).toBeLessThan(500);
        },
      ),
      { numRuns: 250 },
    );
    expect((await server.call('/books?select=id')).status).toBe(200);
  });
});

function enc(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

test('a key as long as the body comes back shortened, not twice in full', async () => {
  const response = await server.call('/rpc/nope', service('POST', { ['k'.repeat(1_000_000)]: 1 }));
  const text = await response.text();
  expect([response.status, JSON.parse(text).code]).toEqual([404, 'PGRST202']);
  expect(text.length).toBeLessThan(20_000);
});

describe('many callers at once', () => {
  test('claims, headers and roles of simultaneous requests never mix', async () => {
    const subs = Array.from({ length: 40 }, (_, at) => `00000000-0000-0000-0000-${String(at).padStart(12, '0')}`);
    const tokens = await Promise.all(subs.map((sub) => server.token(sub)));
    const ask = async (at: number): Promise<void> => {
      const signed = at % 3 !== 0;
      const response = await server.call('/rpc/claims', {
        method: at % 2 === 0 ? 'GET' : 'POST',
        headers: { 'x-probe': String(at), ...(signed ? { authorization: `Bearer ${tokens[at % 40]}` } : {}) },
      });
      expect(await response.json()).toMatchObject({
        role: signed ? 'authenticated' : 'anon',
        sub: signed ? subs[at % 40] : null,
        header: String(at),
        read_only: at % 2 === 0 ? 'on' : 'off',
      });
    };
    // More of them at once would be refused to a caller who is faster than the machine.
    for (let from = 0; from < 300; from += 60) await Promise.all(Array.from({ length: 60 }, (_, at) => ask(from + at)));
  });

  test('fifty upserts of one row at once leave one row', async () => {
    const call = (at: number): Promise<Response> =>
      server.call('/pairs', {
        ...service('POST', { a: 4000, b: 1, value: String(at) }),
        headers: {
          apikey: server.backend.keys.secretKey,
          'content-type': 'application/json',
          prefer: 'resolution=merge-duplicates',
        },
      });
    const statuses: number[] = [];
    // The database gets fewer than ten of one caller at once, and the others wait five seconds at most.
    for (let from = 0; from < 50; from += 10) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => call(from + at)));
      statuses.push(...answers.map((response) => response.status));
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 200)).toHaveLength(49);
  });
});

describe('database faults', () => {
  test('connections cut by the database are replaced: the next request works', async () => {
    const owner = new pg.Client({ connectionString: server.databaseUrl });
    await owner.connect();
    await Promise.all(Array.from({ length: 12 }, () => server.call('/authors')));
    await owner.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where usename = 'authenticator' and datname = current_database()`,
    );
    await owner.end();
    await expect.poll(async () => (await server.call('/authors')).status).toBe(200);
  });

  test('a NUL in the query is a mistake of the caller and costs no connection', async () => {
    const owner = new pg.Client({ connectionString: server.databaseUrl });
    await owner.connect();
    const findConnections = async (): Promise<number[]> => {
      const { rows } = await owner.query<{ pid: number }>(
        `select pid from pg_stat_activity where usename = 'authenticator' and datname = current_database()`,
      );
      return rows.map(({ pid }) => pid);
    };
    await Promise.all(Array.from({ length: 6 }, () => server.call('/authors')));
    const before = await findConnections();
    const given = [
      ['select', '"a\0b":id'],
      ['select', 'id->>a\0b'],
      ['order', 'id->>"a\0b"'],
      ['id->>a\0b', 'eq.1'],
      ['name', 'eq.\0'],
      ['or', '("a\0b".eq.1)'],
    ] as const;
    const answers = await Promise.all(given.map(([name, value]) => outcome(`/authors?${enc(name)}=${enc(value)}`)));
    const after = await findConnections();
    await owner.end();
    expect(answers.map((answer) => answer.slice(0, 2))).toEqual(given.map(() => [400, '22021']));
    expect(after).toEqual(expect.arrayContaining(before));
  });

  test('a database that is gone is 503 in our shape, without its words about the connection', async () => {
    const other = await bootRest();
    const { database } = other.backend;
    expect((await other.call('/authors')).status).toBe(200);
    await database.close();
    const response = await other.call('/authors');
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: expect.stringMatching(/^PGRST00[0-3]$/) });
    await other.stop().catch(() => undefined);
  });
});

test('the errors this service can give are all written down', async () => {
  const source = await readFile(new URL('../../src/backend/rest/errors.ts', import.meta.url), 'utf8');
  const written = await readFile(new URL('../../docs/wire-coverage/rest.md', import.meta.url), 'utf8');
  for (const code of new Set(source.match(/PGRST\d{3}/g))) expect(written).toContain(code);
});
