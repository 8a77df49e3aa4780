import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootRest, type RestServer } from '#tests/support/rest-project.ts';

const A = '00000000-0000-0000-0000-00000000000a';
const B = '00000000-0000-0000-0000-00000000000b';

let server: RestServer;
let anon: SupabaseClient;
let service: SupabaseClient;
let userA: SupabaseClient;

beforeAll(async () => {
  server = await bootRest();
  anon = server.client();
  service = server.service();
  userA = server.client({ headers: { Authorization: `Bearer ${await server.token(A)}` } });
});
afterAll(() => server.stop());

describe('contract §2.1: reading through supabase-js', () => {
  test('select().eq().single() gives the one row (contract §2.1)', async () => {
    const { data, error, status } = await anon.from('authors').select('name').eq('id', 1).single();
    expect({ data, error, status }).toEqual({ data: { name: 'Ada' }, error: null, status: 200 });
  });

  test('single() of no row is PGRST116 with the number of rows (contract §2.1)', async () => {
    const { error, status } = await anon.from('authors').select('name').eq('id', 999).single();
    expect(status).toBe(406);
    expect(error).toMatchObject({
      code: 'PGRST116',
      message: 'Cannot coerce the result to a single JSON object',
      details: 'The result contains 0 rows',
      hint: null,
    });
  });

  test('single() of two rows is PGRST116 (contract §2.1)', async () => {
    const { error } = await anon.from('shelves').select('id').single();
    expect(error).toMatchObject({ code: 'PGRST116', details: 'The result contains 2 rows' });
  });

  test('maybeSingle() gives null for no row and an error for two (contract §2.1)', async () => {
    expect(await anon.from('authors').select('name').eq('id', 999).maybeSingle()).toMatchObject({
      data: null,
      error: null,
    });
    expect((await anon.from('authors').select('name').lte('id', 2).maybeSingle()).error?.code).toBe('PGRST116');
  });

  test('Reads a list of columns with blanks in it (contract §2.1)', async () => {
    const { data } = await anon.from('books').select('id, title, author_id').order('id').limit(1);
    expect(data).toEqual([{ id: 1, title: 'Engines', author_id: 1 }]);
    expect((await anon.from('authors').select('').eq('id', 3)).data).toEqual([{ id: 3, name: 'Grace', country: null }]);
  });

  test('Head with count=exact answers only the number (contract §2.1)', async () => {
    const { count, data, status } = await anon.from('books').select('*', { count: 'exact', head: true });
    expect({ count, data, status }).toEqual({ count: 4, data: null, status: 200 });
  });

  test('Counts with count=planned and count=estimated (contract §2.1)', async () => {
    await service.rpc('years');
    expect((await anon.from('books').select('id', { count: 'estimated' }).gt('year', 1900)).count).toBe(2);
    expect((await anon.from('books').select('id', { count: 'planned' }).gt('year', 1900)).count).toBeGreaterThan(0);
  });

  test('Reads with order, range, in, is and or (contract §2.1)', async () => {
    const { data } = await anon
      .from('books')
      .select('id')
      .in('id', [1, 2, 3, 4])
      .or('sold.is.null,and(year.gt.1900,not.sold.is.false),title.eq."Notes, \\"quoted\\" (really)"')
      .order('year', { ascending: false, nullsFirst: true })
      .range(0, 1);
    expect(data).toEqual([{ id: 4 }, { id: 3 }]);
  });

  test('A page of a counted result is 206 (contract §2.2)', async () => {
    const { data, count, status } = await anon.from('books').select('id', { count: 'exact' }).order('id').range(1, 2);
    expect({ data, count, status }).toEqual({ data: [{ id: 2 }, { id: 3 }], count: 4, status: 206 });
  });

  test('schema() reads another exposed schema, and names the exposed ones for a hidden one (contract §2.1)', async () => {
    expect((await anon.schema('other').from('things').select('name')).data).toEqual([{ name: 'thing' }]);
    const { error, status } = await anon.schema('hidden').from('secrets').select('*');
    expect(status).toBe(406);
    expect(error).toMatchObject({
      code: 'PGRST106',
      message: 'Invalid schema: hidden',
      hint: 'Only the following schemas are exposed: public, other',
    });
  });

  test('csv() gives comma-separated text', async () => {
    const { data } = await anon.from('shelves').select('id,label').order('id').csv();
    expect(data).toBe('id,label\n1,top\n2,low');
  });
});

describe('contract §2.1: writing through supabase-js', () => {
  test('insert().select().single() returns the new row (contract §2.1)', async () => {
    const { data, error, status } = await service.from('authors').insert({ name: 'Emmy' }).select().single();
    expect(error).toBeNull();
    expect(status).toBe(201);
    expect(data).toMatchObject({ name: 'Emmy', country: null, id: expect.any(Number) });
  });

  test('insert([…]).select(id) sends columns= and returns ids (contract §2.1)', async () => {
    const { data, status } = await service
      .from('authors')
      .insert([{ name: 'Hedy' }, { name: 'Joan' }])
      .select('id');
    expect(status).toBe(201);
    expect(data).toHaveLength(2);
  });

  test('Insert without select answers 201 with nothing (contract §2.1)', async () => {
    const { data, status, error } = await service.from('authors').insert({ name: 'Quiet' });
    expect({ data, status, error }).toEqual({ data: null, status: 201, error: null });
    expect((await anon.from('authors').select('id').eq('name', 'Quiet')).data).toHaveLength(1);
  });

  test('Insert with defaultToNull: false takes the column defaults (contract §2.1)', async () => {
    const rows = [{ title: 'With', price: 1 }, { title: 'Without' }];
    const { data } = await service.from('books').insert(rows, { defaultToNull: false }).select('title,price');
    expect(data).toEqual([
      { title: 'With', price: 1 },
      { title: 'Without', price: 9.9 },
    ]);
    const nulls = await service.from('books').insert(rows).select('title,price');
    expect(nulls.data).toEqual([
      { title: 'With', price: 1 },
      { title: 'Without', price: null },
    ]);
    await service.from('books').delete().in('title', ['With', 'Without']);
  });

  test('update().eq() is 204, update().eq().select() gives the rows (contract §2.1)', async () => {
    const quiet = await service.from('shelves').update({ label: 'quiet' }).eq('id', 1);
    expect({ data: quiet.data, status: quiet.status }).toEqual({ data: null, status: 204 });
    const shown = await service.from('shelves').update({ label: 'top' }).eq('id', 1).select();
    expect({ data: shown.data, status: shown.status }).toEqual({ data: [{ id: 1, label: 'top' }], status: 200 });
  });

  test('An update that meets no row is 204, or 200 with [] (contract §2.2)', async () => {
    expect((await service.from('shelves').update({ label: 'x' }).eq('id', 999)).status).toBe(204);
    const shown = await service.from('shelves').update({ label: 'x' }).eq('id', 999).select();
    expect({ data: shown.data, status: shown.status }).toEqual({ data: [], status: 200 });
  });

  test('update().single() that meets two rows is rolled back (contract §2.2)', async () => {
    const { error } = await service.from('shelves').update({ label: 'both' }).in('id', [1, 2]).select().single();
    expect(error?.code).toBe('PGRST116');
    expect((await anon.from('shelves').select('label').in('id', [1, 2]).order('id')).data).toEqual([
      { label: 'top' },
      { label: 'low' },
    ]);
  });

  test('upsert().select(): 201 for a new row, 200 where it was there (contract §2.1)', async () => {
    const first = await service.from('pairs').upsert({ a: 5, b: 5, value: 'new' }).select();
    expect({ data: first.data, status: first.status }).toEqual({ data: [{ a: 5, b: 5, value: 'new' }], status: 201 });
    const second = await service.from('pairs').upsert({ a: 5, b: 5, value: 'changed' }).select();
    expect({ data: second.data, status: second.status }).toEqual({
      data: [{ a: 5, b: 5, value: 'changed' }],
      status: 200,
    });
    const mixed = await service
      .from('pairs')
      .upsert([
        { a: 5, b: 5, value: 'm' },
        { a: 5, b: 6, value: 'n' },
      ])
      .select('value');
    expect({ data: mixed.data, status: mixed.status }).toEqual({ data: [{ value: 'm' }, { value: 'n' }], status: 201 });
  });

  test('Upserts with onConflict and with ignoreDuplicates (contract §2.1)', async () => {
    const onConflict = await service
      .from('authors')
      .upsert({ name: 'Ada', country: 'UK' }, { onConflict: 'name' })
      .select('id,country');
    expect(onConflict.data).toEqual([{ id: 1, country: 'UK' }]);
    const ignored = await service
      .from('pairs')
      .upsert({ a: 1, b: 1, value: 'no' }, { ignoreDuplicates: true })
      .select();
    expect({ data: ignored.data, status: ignored.status }).toEqual({ data: [], status: 201 });
    await service.from('authors').update({ country: 'GB' }).eq('id', 1);
  });

  test('delete().eq() is 204, with select() it gives the rows (contract §2.1)', async () => {
    await service.from('pairs').insert([
      { a: 8, b: 1 },
      { a: 8, b: 2 },
    ]);
    expect((await service.from('pairs').delete().eq('a', 8).eq('b', 1)).status).toBe(204);
    const shown = await service.from('pairs').delete({ count: 'exact' }).eq('a', 8).select();
    expect(shown).toMatchObject({ data: [{ a: 8, b: 2, value: null }], status: 200, count: 1 });
  });

  test('max-affected refuses and undoes a write that meets too many rows', async () => {
    const strict = server.client({
      key: server.backend.keys.secretKey,
      headers: { Prefer: 'handling=strict,max-affected=1' },
    });
    const { error, status } = await strict.from('shelves').update({ label: 'x' }).in('id', [1, 2]);
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'PGRST124', details: 'The query affects 2 rows' });
    expect((await anon.from('shelves').select('id').eq('label', 'x')).data).toEqual([]);
  });

  test('rollback() shows the result and keeps nothing, where the project allows it', async () => {
    const { data } = await service.from('shelves').update({ label: 'gone' }).eq('id', 1).select('label').rollback();
    expect(data).toEqual([{ label: 'gone' }]);
    expect((await anon.from('shelves').select('label').eq('id', 1).single()).data).toEqual({ label: 'top' });
  });
});

describe('contract §2.2: whose rows', () => {
  test('row-level security filters reads: nothing for anon, own for a user, all for the service', async () => {
    expect((await anon.from('notes').select('body')).data).toEqual([]);
    expect((await userA.from('notes').select('body')).data).toEqual([{ body: 'of a' }]);
    expect((await service.from('notes').select('body')).data).toHaveLength(2);
  });

  test('An insert against the policy: 401 for anon, 403 for a user (contract §2.3)', async () => {
    const refused = await anon.from('notes').insert({ owner: A, body: 'x' });
    expect(refused.status).toBe(401);
    expect(refused.error).toMatchObject({
      code: '42501',
      message: 'new row violates row-level security policy for table "notes"',
    });
    expect((await userA.from('notes').insert({ owner: B, body: 'x' })).status).toBe(403);
  });

  test('an update and a delete of foreign rows meet nothing', async () => {
    expect(await userA.from('notes').update({ body: 'mine' }).eq('owner', B).select()).toMatchObject({
      data: [],
      status: 200,
    });
    expect((await userA.from('notes').delete().eq('owner', B)).status).toBe(204);
    expect((await service.from('notes').select('body').eq('owner', B)).data).toEqual([{ body: 'of b' }]);
  });

  test('A table without a grant: 401 for anon, 403 for a user (contract §2.3)', async () => {
    const refused = await anon.from('closed').select();
    expect(refused.status).toBe(401);
    expect(refused.error).toMatchObject({ code: '42501', message: 'permission denied for table closed' });
    expect((await userA.from('closed').select()).status).toBe(403);
  });

  test('An unknown apikey is anonymous (contract §0)', async () => {
    const stranger = createClient(server.url, 'foo', {
      auth: { persistSession: false },
      global: { fetch: withoutBearer },
    });
    expect((await stranger.from('authors').select('name').eq('id', 1)).data).toEqual([{ name: 'Ada' }]);
  });
});

/** What a client without a session and with an unknown key amounts to on this service: no credential. */
function withoutBearer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const headers = new Headers(init?.headers);
  headers.delete('authorization');
  return fetch(input, { ...init, headers });
}
