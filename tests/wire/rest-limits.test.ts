import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bootRest, type RestServer } from '#tests/support/rest-project.ts';

let server: RestServer;
beforeAll(async () => {
  server = await bootRest({
    env: { DATABASE_STATEMENT_S: '90' },
    config: 'max_embed_depth = 3\nmax_embeds = 4\nmax_answer_rows = 40\nmax_answer_bytes = 20000\nmax_insert_rows = 5',
    migration: `
      create table cases (id int primary key, story text);
      create table files (id int generated always as identity primary key, case_id int references cases, name text);
      insert into cases select n, case when n < 5 then repeat('x', 6000) else 'short' end from generate_series(1, 30) n;
      insert into files (case_id, name) select 1, 'f' || n from generate_series(1, 30) n;
      insert into files (case_id, name) select 10, 'g' || n from generate_series(1, 30) n;
      grant all on cases, files to anon, authenticated, service_role;
      create table diaries (id int primary key, owner text);
      insert into diaries select n, case when n < 400 then 'ada' else 'ben' end from generate_series(1, 500) n;
      alter table diaries enable row level security;
      create policy "bens only" on diaries for select to anon using (owner = 'ben');
      grant select on diaries to anon, service_role;
      analyze diaries;
      create function waiting_cases() returns setof cases language plpgsql as
        $$ begin perform pg_advisory_xact_lock(4711); return query select * from cases; end $$;
      create function statement_limit() returns text language sql as
        $$ select current_setting('statement_timeout') $$;`,
  });
});
afterAll(() => server.stop());

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await server.call(path, { headers });
  const body: unknown = await response.json().catch(() => undefined);
  return { status: response.status, body };
}

describe('what a body may bring (threat 10)', () => {
  const post = (path: string, type: string, body: string) =>
    server.call(path, { method: 'POST', headers: { 'content-type': type }, body });

  test.each([
    ['pairs', 'application/x-www-form-urlencoded', 'a&'.repeat(200_000), 'too_many_values'],
    ['small values', 'application/json', `[${'{},'.repeat(200_000)}{}]`, 'too_many_values'],
    ['lines', 'text/csv', `id\n${'\n'.repeat(200_000)}`, 'too_many_rows'],
  ])('Refuses many %s without a login, before they are read', async (_name, type, body, code) => {
    const answers = [await post('/cases', type, body)];
    if (type !== 'text/csv') answers.push(await post('/rpc/long_text', type, body));
    for (const answer of answers) {
      expect(answer.status).toBe(413);
      expect(await answer.json()).toMatchObject({ code });
    }
  });
});

describe('what one answer may hold', () => {
  test.each(['planned', 'estimated', 'exact'])('count=%s counts no row that the caller may not see', async (count) => {
    const total = async (filter: string, headers: Record<string, string> = {}) =>
      (await server.call(`/diaries?select=id${filter}`, { headers: { ...headers, prefer: `count=${count}` } })).headers
        .get('content-range')
        ?.split('/')[1];
    expect([await total(''), await total('&owner=eq.ada'), await total('&owner=eq.ben')]).toEqual(['101', '0', '101']);
  });

  const TOO_LARGE = {
    status: 400,
    body: { code: 'answer_too_large', details: expect.stringContaining('20000 bytes') },
  };

  test('Refuses an answer of plain rows above the bytes, in each format', async () => {
    expect(await get('/cases?select=story')).toMatchObject(TOO_LARGE);
    expect(await get('/cases?select=*')).toMatchObject(TOO_LARGE);
    expect(await get('/cases?select=story', { accept: 'text/csv' })).toMatchObject(TOO_LARGE);
    expect((await get('/cases?select=story&id=gt.4')).status).toBe(200);
    expect((await get('/cases?select=story&id=lt.4')).status).toBe(200);
  });

  test('Refuses rows that embed the same long text again and again', async () => {
    expect(await get('/files?select=cases(story)&case_id=eq.1')).toMatchObject(TOO_LARGE);
    expect(await get('/cases?select=id,files(cases(story))&id=eq.1')).toMatchObject(TOO_LARGE);
    expect((await get('/files?select=name,cases(story)&case_id=eq.10&limit=3')).status).toBe(200);
  });

  test('Counts embedded rows with the others', async () => {
    const { status, body } = await get('/cases?select=id,files(id)');
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'answer_too_large', details: expect.stringContaining('40 rows') },
    });
    expect((await get('/cases?select=id,files(id)&id=eq.1')).status).toBe(200);
    expect((await get('/cases?select=id,files(cases(id))&id=eq.1')).body).toMatchObject({ code: 'answer_too_large' });
  });

  test('A function cannot answer with more, and rows written with a refused answer are not kept', async () => {
    expect(await get('/rpc/long_text?length=30000')).toMatchObject(TOO_LARGE);
    const answer = await server.call('/cases?id=gt.0&select=story', {
      method: 'PATCH',
      headers: { prefer: 'return=representation', 'content-type': 'application/json' },
      body: JSON.stringify({ story: 'y'.repeat(6000) }),
    });
    expect(answer.status).toBe(400);
    expect((await get('/cases?select=id&story=like.y*')).body).toEqual([]);
  });
});

describe('what one request may embed', () => {
  test.each([
    ['/cases?select=files(cases(files(id)))&id=eq.20', 200],
    ['/cases?select=files(cases(files(cases(id))))&id=eq.20', 400],
    ['/cases?select=a:files(id),b:files(id),c:files(id),d:files(id)&id=eq.20', 200],
    ['/cases?select=a:files(id),b:files(id),c:files(id),d:files(id),e:files(id)&id=eq.20', 400],
  ])('%s → %i', async (path, status) => {
    const answer = await get(path);
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.body).toMatchObject({ code: 'embedding_refused', hint: null });
  });
});

test('Refuses an insert of more rows than one request may bring', async () => {
  const insert = (rows: number, headers: Record<string, string> = {}) =>
    server.call('/numbered', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(Array.from({ length: rows }, (_, at) => ({ id: 1000 + at }))),
    });
  const refused = await insert(6);
  expect({ status: refused.status, body: await refused.json() }).toMatchObject({
    status: 413,
    body: { code: 'too_many_rows' },
  });
  expect((await insert(5)).status).toBe(201);
});

test('The database sees the address this server believes, not the one a caller claims', async () => {
  const response = await server.call('/rpc/address', {
    headers: { 'x-forwarded-for': '203.0.113.9', 'cf-connecting-ip': '203.0.113.10' },
  });
  expect(await response.json()).toEqual({ forwarded: expect.stringMatching(/^(127\.0\.0\.1|::1)$/), connecting: null });
});

/** Lets functions that take this lock wait until the returned function is called. */
async function lock(): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const transaction = server.backend.database.asOwner(async (tx) => {
    await tx.query('select pg_advisory_xact_lock(4711)');
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  return () => {
    held.resolve();
    return transaction;
  };
}

async function countWaiting(): Promise<number> {
  return server.backend.database.asOwner(async (tx) => {
    const { rows } = await tx.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_locks where locktype = 'advisory' and objid = 4711 and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    return rows[0]?.waiting ?? 0;
  });
}

test.each([
  ['searches of texts', '/rpc/waiting_cases?story=ilike.*x*', '{}'],
  ['large bodies', '/rpc/waiting_cases', ' '.repeat(300_000)],
])('Runs %s of one caller one after the other (decision 0201)', async (_what, path, body) => {
  const release = await lock();
  const headers = { 'content-type': 'application/json' };
  const flood = Array.from({ length: 62 }, () => server.call(path, { method: 'POST', headers, body }));
  // One runs and sixty wait.
  const first = await Promise.any(flood);
  // The one that runs may still be on its way to the lock.
  const running = await vi.waitUntil(countWaiting);
  await release();
  await Promise.all(flood);
  expect({ status: first.status, running }).toEqual({ status: 429, running: 1 });
});

test('The operator limits how long one statement may take (threat 11)', async () => {
  expect((await get('/rpc/statement_limit')).body).toBe('90s');
});

test('One caller who asks for too much at once is refused, and neither others nor /health wait for it', async () => {
  const release = await lock();
  const flood = Array.from({ length: 80 }, () => server.call('/rpc/wait_for_lock', { method: 'POST' }));
  const refused = await Promise.any(flood);
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'too_many_requests', details: null, hint: null });
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
  const authorization = `Bearer ${await server.token('00000000-0000-0000-0000-00000000000a')}`;
  expect((await get('/notes?select=body', { authorization })).body).toEqual([{ body: 'of a' }]);
  await release();
  const statuses = (await Promise.all(flood)).map((answer) => answer.status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(6);
  expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
});
