import fastify, { type FastifyInstance, type InjectOptions } from 'fastify';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCatalogDatabase, describeRoutine, LIBRARY } from '#tests/support/rest-catalog.ts';
import { readProjectConfig } from '../config.ts';
import type { CallerContext, Database } from '../database/index.ts';
import type { Outcome } from './sql/statement.ts';
import { restService } from './index.ts';

const OUTCOME: Outcome = {
  total: null,
  rowCount: '1',
  body: '[{"id":1}]',
  bytes: '10',
  headers: null,
  status: null,
  inserted: null,
  location: null,
};

const ROUTINES = [
  describeRoutine('add', ['a integer']),
  describeRoutine('read_only', [], { volatile: false }),
  describeRoutine('nothing', [], { kind: 'void' }),
  describeRoutine('all', [], { kind: 'composite', set: true, relationSchema: 'public', relationName: 'books' }),
];

let app: FastifyInstance;
/** What the database answers next: an outcome, or an error. */
let answer: Partial<Outcome> | Error;
let calls: { context: CallerContext; sql: string; undone: boolean }[];

beforeEach(async () => {
  answer = {};
  calls = [];
  const config = await readProjectConfig('/nowhere', {});
  const database: Database = {
    ...createCatalogDatabase({ ...LIBRARY, routines: ROUTINES }),
    asCaller: async (context, work) => {
      const call = { context, sql: '', undone: false };
      calls.push(call);
      const query = async (sql: string) => {
        if (sql.startsWith('explain')) return { rows: [{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': 4_321 } }] }] };
        if (call.sql === '') call.sql = sql;
        if (answer instanceof Error) throw answer;
        return { rows: [{ ...OUTCOME, ...answer }] };
      };
      return work({ query: query as never }).catch((error: unknown) => {
        call.undone = true;
        throw error;
      });
    },
  };
  app = fastify();
  const api = { ...config.api, schemas: ['public', 'other'], max_rows: 50, tx_end: 'commit-allow-override' as const };
  const keys = {
    roleOfKey: (key: string) => (key === 'secret' ? 'service_role' : undefined),
    verify: async (token: string) => ({ sub: token, role: 'authenticated' }),
  };
  await app.register(
    restService({
      database,
      keys: keys as never,
      config: { ...config, api },
      log: app.log,
      publicUrl: () => 'http://localhost',
      connections: 10,
      databaseWaitMs: undefined,
    }),
    { prefix: '/rest/v1' },
  );
});
afterEach(() => app.close());

function send(
  method: NonNullable<InjectOptions['method']>,
  path: string,
  headers: Record<string, string> = {},
  payload = '',
) {
  const type = payload === '' ? {} : { 'content-type': 'application/json' };
  return app.inject({ method, url: `/rest/v1${path}`, headers: { ...type, ...headers }, payload });
}

const USER = { authorization: 'Bearer user' };
const sqlState = (code: string, message = 'm'): Error =>
  Object.assign(new pg.DatabaseError(message, 1, 'error'), { code, severity: 'ERROR' });

describe('methods and paths', () => {
  test.each([
    ['PATCH', '/rpc/add', 405, 'PGRST101'],
    ['PUT', '/rpc/add', 405, 'PGRST101'],
    ['DELETE', '/rpc/add', 405, 'PGRST101'],
    ['POST', '/', 405, 'PGRST117'],
    ['GET', '/a/b', 404, 'PGRST125'],
    ['POST', '/rpc/a/b', 404, 'PGRST125'],
    ['GET', '/nothing', 404, 'PGRST205'],
    ['GET', '/rpc/subtract', 404, 'PGRST202'],
  ] as const)('%s %s is %i %s', async (method, path, status, code) => {
    const response = await send(method, path);
    expect([response.statusCode, response.json()]).toEqual([status, expect.objectContaining({ code })]);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'proxy-status': `PostgREST; error=${code}`,
    });
    expect(calls).toEqual([]);
  });

  test.each([
    ['/', 'OPTIONS,GET,HEAD'],
    ['/books', 'OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE'],
    ['/titles', 'OPTIONS,GET,HEAD'],
    ['/rpc/nothing', 'OPTIONS,POST'],
    ['/rpc/read_only', 'OPTIONS,GET,HEAD,POST'],
  ])('OPTIONS %s allows %s', async (path, allow) => {
    const response = await send('OPTIONS', path);
    expect([response.statusCode, response.headers['allow'], response.payload]).toEqual([200, allow, '']);
  });

  test.each([
    ['/nothing', 404, 'PGRST205'],
    ['/rpc/subtract', 404, 'PGRST202'],
    ['/a/b', 404, 'PGRST125'],
  ])('OPTIONS %s is %i %s', async (path, status, code) => {
    const response = await send('OPTIONS', path);
    expect([response.statusCode, response.json().code, response.headers['allow']]).toEqual([status, code, undefined]);
  });

  test('HEAD answers like GET without a body', async () => {
    const head = await send('HEAD', '/books');
    expect([head.statusCode, head.payload, head.headers['content-range']]).toEqual([200, '', '0-0/*']);
    expect(calls[0]?.sql).toContain('null::text as body');
  });
});

describe('ranges and counts (contract §2.2)', () => {
  test.each([
    ['/books', {}, {}, 200, '0-0/*'],
    ['/books', { prefer: 'count=exact' }, { total: '1' }, 200, '0-0/1'],
    ['/books', { prefer: 'count=exact' }, { total: '9' }, 206, '0-0/9'],
    ['/books?offset=8', { prefer: 'count=exact' }, { total: '9' }, 206, '8-8/9'],
    ['/books?id=eq.0', { prefer: 'count=exact' }, { total: '0', rowCount: '0' }, 200, '*/0'],
    ['/books', { range: '2-4' }, { rowCount: '3' }, 200, '2-4/*'],
    ['/books', { prefer: 'count=planned', apikey: 'secret' }, {}, 206, '0-0/4321'],
    ['/books', { prefer: 'count=estimated', apikey: 'secret' }, { total: '40' }, 206, '0-0/40'],
    ['/books', { prefer: 'count=estimated', apikey: 'secret' }, { total: '51' }, 206, '0-0/4321'],
    ['/books', { prefer: 'count=planned' }, { total: '9' }, 206, '0-0/9'],
    ['/books', { prefer: 'count=estimated' }, { total: '51' }, 206, '0-0/51'],
    ['/rpc/all', {}, {}, 200, '0-0/*'],
  ])('%s with %j and %j is %i %s', async (path, headers, outcome, status, range) => {
    answer = outcome;
    const response = await send('GET', path, headers);
    expect([response.statusCode, response.headers['content-range']]).toEqual([status, range]);
  });

  test.each([
    ['/books?offset=10', { prefer: 'count=exact' }, { total: '9', rowCount: '0' }],
    ['/books?limit=-1', {}, {}],
    ['/books', { range: '5-2' }, {}],
  ])('Refuses %s with %j (416 PGRST103)', async (path, headers, outcome) => {
    answer = outcome;
    const response = await send('GET', path, headers);
    expect([response.statusCode, response.json().code]).toEqual([416, 'PGRST103']);
  });
});

describe('one object (contract §2.2)', () => {
  const OBJECT = { accept: 'application/vnd.pgrst.object+json' };

  test.each([
    ['GET', '', '2'],
    ['GET', '', '0'],
    ['POST', '{"title":"x"}', '2'],
    ['PATCH', '{"title":"x"}', '2'],
    ['PATCH', '{"title":"x"}', '0'],
    ['DELETE', '', '2'],
  ] as const)('%s %s that meets %s rows is 406, and what it wrote is undone', async (method, body, rowCount) => {
    answer = { rowCount };
    const response = await send(method, '/books', { ...OBJECT, prefer: 'return=representation' }, body);
    expect([response.statusCode, response.json()]).toMatchObject([
      406,
      { code: 'PGRST116', details: `The result contains ${rowCount} rows` },
    ]);
    expect(calls[0]?.undone).toBe(true);
  });

  test('Names its media type', async () => {
    answer = { body: '{"id":1}' };
    const response = await send('GET', '/books', OBJECT);
    expect(response.headers['content-type']).toBe('application/vnd.pgrst.object+json; charset=utf-8');
  });

  test('Refuses media types that it does not write (406 PGRST107)', async () => {
    expect((await send('GET', '/books', { accept: 'image/png' })).json().code).toBe('PGRST107');
  });
});

describe('writes (contract §2.2)', () => {
  const BODY = '{"title":"x"}';

  test.each([
    ['POST', '/books', '', {}, 201, ''],
    ['POST', '/books', 'return=representation', {}, 201, '[{"id":1}]'],
    ['POST', '/books', 'return=minimal', {}, 201, ''],
    ['POST', '/books', 'resolution=merge-duplicates,return=representation', { inserted: '0' }, 200, '[{"id":1}]'],
    ['POST', '/books', 'resolution=merge-duplicates', { inserted: '1' }, 201, ''],
    ['PATCH', '/books?id=eq.1', '', {}, 204, ''],
    ['PATCH', '/books?id=eq.1', 'return=representation', {}, 200, '[{"id":1}]'],
    ['DELETE', '/books?id=eq.1', '', {}, 204, ''],
    ['DELETE', '/books?id=eq.1', 'return=representation', {}, 200, '[{"id":1}]'],
    ['PUT', '/books?id=eq.1', 'return=representation', { inserted: '1' }, 201, '[{"id":1}]'],
    ['PUT', '/books?id=eq.1', 'return=representation', { inserted: '0' }, 200, '[{"id":1}]'],
    ['PUT', '/books?id=eq.1', '', { inserted: '1' }, 204, ''],
  ] as const)('%s %s with "%s" and %j is %i', async (method, path, prefer, outcome, status, body) => {
    answer = outcome;
    const payload = method === 'DELETE' ? '' : method === 'PUT' ? '{"id":1}' : BODY;
    const response = await send(method, path, { prefer }, payload);
    expect([response.statusCode, response.payload]).toEqual([status, body]);
  });

  test('Says where a new row is', async () => {
    answer = { location: { id: '7', 'a&b': null } };
    const { headers } = await send('POST', '/books', { prefer: 'return=headers-only' }, BODY);
    expect(headers['location']).toBe('/books?id=eq.7&a%26b=is.null');
  });

  test.each([
    ['/books', 'PGRST105'],
    ['/books?title=eq.x', 'PGRST105'],
    ['/books?id=gt.1', 'PGRST105'],
    ['/books?id=not.eq.1', 'PGRST105'],
    ['/books?id=eq.1&title=eq.x', 'PGRST105'],
    ['/books?or=(id.eq.1)', 'PGRST105'],
    ['/books?id=eq.1&limit=1', 'PGRST114'],
    ['/books?id=eq.1&offset=1', 'PGRST114'],
  ])('Refuses PUT %s (%s)', async (path, code) => {
    expect((await send('PUT', path, {}, '{"id":1}')).json().code).toBe(code);
  });

  test('PUT of another key than the address’s is undone (PGRST115)', async () => {
    answer = { rowCount: '0' };
    expect((await send('PUT', '/books?id=eq.1', {}, '{"id":2}')).json().code).toBe('PGRST115');
    expect(calls[0]?.undone).toBe(true);
  });

  test.each([
    ['PATCH', 'handling=strict,max-affected=1', '2', 400],
    ['DELETE', 'handling=strict,max-affected=1', '2', 400],
    ['PATCH', 'handling=strict,max-affected=2', '2', 204],
    ['PATCH', 'max-affected=1', '2', 204],
  ] as const)('%s with "%s" of %s rows is %i', async (method, prefer, rowCount, status) => {
    answer = { rowCount };
    const response = await send(method, '/books', { prefer }, method === 'PATCH' ? BODY : '');
    expect([response.statusCode, calls[0]?.undone]).toEqual([status, status === 400]);
  });

  test('Rolls back where the caller asks for it, and answers as if it had not', async () => {
    const response = await send('POST', '/books', { prefer: 'tx=rollback,return=representation' }, BODY);
    expect([response.statusCode, response.payload, response.headers['preference-applied']]).toEqual([
      201,
      '[{"id":1}]',
      'return=representation, tx=rollback',
    ]);
    expect(calls[0]?.undone).toBe(true);
  });

  test.each([
    ['text/plain', 'x', 400],
    ['application/json', '{', 400],
    ['application/json', '[{"id":1},{"title":"x"}]', 400],
    ['text/csv', 'title\nx', 201],
    ['application/x-www-form-urlencoded', 'title=x', 201],
  ])('A body of type %s: %j is %i', async (type, body, status) => {
    expect((await send('POST', '/books', { 'content-type': type }, body)).statusCode).toBe(status);
  });

  test('Refuses more rows than one request may bring, but not from the service key', async () => {
    const rows = JSON.stringify(Array.from({ length: 1_001 }, () => ({ title: 'x' })));
    expect((await send('POST', '/books', {}, rows)).statusCode).toBe(413);
    expect((await send('POST', '/books', { apikey: 'secret' }, rows)).statusCode).toBe(201);
  });
});

describe('functions (contract §2.2)', () => {
  test.each([
    ['GET', '/rpc/add?a=1', '', true],
    ['POST', '/rpc/add', '{"a":1}', false],
  ] as const)('%s %s runs read-only: %s%s', async (method, path, body, readOnly) => {
    expect((await send(method, path, {}, body)).statusCode).toBe(200);
    expect(calls[0]?.context).toMatchObject({ readOnly, method, path: '/rpc/add' });
  });

  test('A function without a result answers 204', async () => {
    const response = await send('POST', '/rpc/nothing');
    expect([response.statusCode, response.payload, response.headers['content-type']]).toEqual([204, '', undefined]);
  });

  test('max-affected needs a function that returns rows (PGRST128)', async () => {
    const strict = { prefer: 'handling=strict,max-affected=1' };
    expect((await send('POST', '/rpc/add', strict, '{"a":1}')).json().code).toBe('PGRST128');
    answer = { rowCount: '2' };
    expect((await send('POST', '/rpc/all', strict)).json().code).toBe('PGRST124');
  });
});

describe('the answer that the database sets', () => {
  test('Status and headers go out', async () => {
    answer = { status: '418', headers: '[{"X-Tea":"Assam"},{"Content-Range":"mine"}]' };
    const { statusCode, headers } = await send('GET', '/books');
    expect([statusCode, headers['x-tea'], headers['content-range']]).toEqual([418, 'Assam', 'mine']);
  });

  test.each([
    [{ status: '99' }, 'PGRST112'],
    [{ status: '200 OK' }, 'PGRST112'],
    [{ headers: '{"a":"b"}' }, 'PGRST111'],
    [{ headers: '[{"a":"b","c":"d"}]' }, 'PGRST111'],
    [{ headers: '[{"a":1}]' }, 'PGRST111'],
    [{ headers: String.raw`[{"a":"b\r\nSet-Cookie: c"}]` }, 'PGRST111'],
    [{ headers: '[{"a b":"c"}]' }, 'PGRST111'],
    [{ headers: 'no json' }, 'PGRST111'],
  ])('%j is 500 %s', async (outcome, code) => {
    answer = outcome;
    const response = await send('GET', '/books');
    expect([response.statusCode, response.json().code]).toEqual([500, code]);
  });

  test('An answer above the bytes that one may have is refused', async () => {
    answer = { body: null, bytes: String(1024 ** 3) };
    expect((await send('GET', '/books')).json().code).toBe('answer_too_large');
  });

  test('A long answer keeps its length', async () => {
    const body = JSON.stringify(Array.from({ length: 50_000 }, (_, at) => `ü${at}`));
    answer = { body };
    const response = await send('GET', '/books');
    expect(response.headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(response.payload).toBe(body);
  });
});

describe('the caller', () => {
  test('The database sees role, claims, path and the address that this server believes', async () => {
    const forged = { ...USER, 'x-forwarded-for': '6.6.6.6', 'cf-connecting-ip': '6.6.6.6', 'x-probe': 'y' };
    await send('GET', '/books', forged);
    expect(calls[0]?.context).toMatchObject({
      role: 'authenticated',
      claims: { sub: 'user' },
      method: 'GET',
      path: '/books',
      readOnly: true,
      headers: { 'x-forwarded-for': '127.0.0.1', 'x-probe': 'y' },
    });
    expect(calls[0]?.context.headers).not.toHaveProperty('cf-connecting-ip');
  });

  test.each([
    ['GET', 'accept-profile'],
    ['POST', 'content-profile'],
  ] as const)('%s chooses its schema by %s', async (method, header) => {
    const unknown = await send(method, '/books', { [header]: 'secret' }, method === 'POST' ? '{}' : '');
    expect([unknown.statusCode, unknown.json()]).toMatchObject([
      406,
      { code: 'PGRST106', hint: 'Only the following schemas are exposed: public, other' },
    ]);
    const missing = await send(method, '/books', { [header]: 'other' }, method === 'POST' ? '{}' : '');
    expect(missing.json().message).toContain("'other.books'");
  });

  test('Names the schema of an answer, and looks names up there first', async () => {
    const response = await send('GET', '/books', { prefer: 'timezone=Europe/Berlin' });
    expect(response.headers['content-profile']).toBe('public');
    expect(calls[0]?.context.searchPath?.[0]).toBe('public');
    expect(calls[0]?.context.settings).toEqual({ timezone: 'Europe/Berlin' });
  });

  test.each([
    [{}, 401, 'Bearer'],
    [USER, 403, undefined],
  ])('A missing grant is refused to %j with %i', async (headers, status, challenge) => {
    answer = sqlState('42501', 'permission denied for table books');
    const response = await send('GET', '/books', headers);
    expect([response.statusCode, response.headers['www-authenticate']]).toEqual([status, challenge]);
    expect(response.json()).toMatchObject({ code: '42501', message: 'permission denied for table books' });
  });

  test('Refuses an empty bearer (401 PGRST301)', async () => {
    const response = await send('GET', '/books', { authorization: 'Bearer ' });
    expect([response.statusCode, response.json().code]).toEqual([401, 'PGRST301']);
  });

  test.each([
    ['application/openapi+json', 200],
    ['application/json', 200],
    ['text/html, */*;q=0.8', 200],
    ['text/csv', 406],
    ['application/vnd.pgrst.object+json', 406],
  ])('GET / with Accept: %s is %i', async (accept, status) => {
    const response = await send('GET', '/', { accept });
    expect(response.statusCode).toBe(status);
    const type = status === 200 ? 'application/openapi+json; charset=utf-8' : 'application/json; charset=utf-8';
    expect(response.headers['content-type']).toBe(type);
  });

  test('GET / describes the schema to the service key alone', async () => {
    const read = async (headers: Record<string, string>) => Object.keys((await send('GET', '/', headers)).json().paths);
    expect(await read({ apikey: 'secret' })).toEqual(expect.arrayContaining(['/books', '/rpc/add']));
    expect(await read({})).toEqual([]);
    expect(await read(USER)).toEqual([]);
  });
});
