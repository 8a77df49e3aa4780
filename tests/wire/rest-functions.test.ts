import type { SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootRest, type RestServer } from '#tests/support/rest-project.ts';

let server: RestServer;
let anon: SupabaseClient;
let service: SupabaseClient;

beforeAll(async () => {
  server = await bootRest();
  anon = server.client();
  service = server.service();
});
afterAll(() => server.stop());

describe('contract §2.1: rpc through supabase-js', () => {
  test('named arguments, defaults, by POST and by GET', async () => {
    expect((await anon.rpc('add', { a: 1, b: 2 })).data).toBe(3);
    expect((await anon.rpc('add', { a: 1 })).data).toBe(11);
    expect((await anon.rpc('add', { a: 5 }, { get: true })).data).toBe(15);
    expect((await anon.rpc('greet me', { 'the name': 'Ö "x"' })).data).toBe('hi Ö "x"');
  });

  test('rows can be filtered, ordered, selected and counted', async () => {
    const { data, count } = await anon
      .rpc('all_books', {}, { count: 'exact' })
      .select('title')
      .gt('year', 1843)
      .order('year')
      .limit(2);
    expect({ data, count }).toEqual({
      data: [{ title: 'Notes, "quoted" (really)' }, { title: 'Plankalkuel' }],
      count: 3,
    });
  });

  test('a set of values, a table, one row, nothing, a whole JSON body', async () => {
    expect((await anon.rpc('years')).data).toEqual([1843, 1844, 1945, 1952]);
    expect((await anon.rpc('stats', { since: 1900 })).data).toEqual([
      { country: 'DE', books: 1 },
      { country: null, books: 1 },
    ]);
    expect((await anon.rpc('first_author').select('name')).data).toEqual({ name: 'Ada' });
    expect(await service.rpc('add_author', { name: 'Void' })).toMatchObject({ data: null, status: 204, error: null });
    expect((await anon.rpc('whole', { any: [1, { x: null }] })).data).toEqual({ any: [1, { x: null }] });
    expect((await anon.rpc('variadic_sum', { v: [1, 2, 3] })).data).toBe(6);
  });

  test('head with count', async () => {
    const { count, data } = await anon.rpc('all_books', {}, { head: true, count: 'exact' });
    expect({ count, data }).toEqual({ count: 4, data: null });
  });

  test('PGRST202 names what was looked for (contract §2.3)', async () => {
    const { error, status } = await anon.rpc('ad', { a: 1 });
    expect(status).toBe(404);
    expect(error).toMatchObject({
      code: 'PGRST202',
      message: 'Could not find the function public.ad(a) in the schema cache',
      details:
        'Searched for the function public.ad with parameter a or with a single unnamed json/jsonb parameter,' +
        ' but no matches were found in the schema cache.',
    });
    const wrongArgument = await anon.rpc('add', { a: 1, c: 2 });
    expect(wrongArgument.error?.hint).toBe('Perhaps you meant to call the function public.add(a, b)');
  });

  test('A JSON body with the empty key reaches the one unnamed parameter whole (contract §2.2)', async () => {
    const { data } = await service.rpc('shout', { '': 'x' });
    expect(data).toBe('{"":"X"}');
    expect((await service.rpc('either')).data).toBe('none');
    expect((await service.rpc('either', { '': 1 })).data).toBe('one');
    const foreign = await service.rpc('unnamed_number', { '': 1 });
    expect(foreign).toMatchObject({
      status: 404,
      error: {
        code: 'PGRST202',
        message: 'Could not find the function public.unnamed_number() in the schema cache',
        details: expect.stringContaining('with parameter  or with a single unnamed json/jsonb parameter'),
      },
    });
  });

  test('PGRST203 for overloads that cannot be told apart (contract §2.3)', async () => {
    const { error, status } = await anon.rpc('over', { a: 1 });
    expect({ status, code: error?.code }).toEqual({ status: 300, code: 'PGRST203' });
  });
});

describe('embedding along foreign keys', () => {
  test('to one, to many, through a junction, nested', async () => {
    const { data } = await anon
      .from('authors')
      .select('name,books(title,shelves(label))')
      .eq('id', 1)
      .order('id', { referencedTable: 'books' })
      .order('id', { referencedTable: 'books.shelves' });
    expect(data).toEqual([
      {
        name: 'Ada',
        books: [
          { title: 'Engines', shelves: [{ label: 'top' }] },
          { title: 'Notes, "quoted" (really)', shelves: [{ label: 'top' }, { label: 'low' }] },
        ],
      },
    ]);
    expect((await anon.from('books').select('id,by:authors(name)').eq('id', 3)).data).toEqual([
      { id: 3, by: { name: 'Konrad' } },
    ]);
  });

  test('inner joins, filters, order and limit of the embedded, order by it, spread, null filter', async () => {
    const inner = await anon.from('books').select('id,authors!inner()').eq('authors.country', 'DE');
    expect(inner.data).toEqual([{ id: 3 }]);
    const limited = await anon
      .from('authors')
      .select('id,books(id)')
      .eq('id', 1)
      .order('id', { referencedTable: 'books', ascending: false })
      .limit(1, { referencedTable: 'books' });
    expect(limited.data).toEqual([{ id: 1, books: [{ id: 2 }] }]);
    const ordered = await anon
      .from('books')
      .select('id,authors(name)')
      .order('authors(name)', { ascending: false })
      .limit(1);
    expect(ordered.data).toEqual([{ id: 3, authors: { name: 'Konrad' } }]);
    expect((await anon.from('books').select('id,...authors(name)').eq('id', 1)).data).toEqual([{ id: 1, name: 'Ada' }]);
    expect((await anon.from('shelves').select('id,books()').is('books', null)).data).toEqual([]);
  });

  test('A resource with an alias is filtered and ordered by the alias or by its name', async () => {
    const by = async (name: string): Promise<unknown> =>
      (
        await anon
          .from('authors')
          .select('of:books(id)')
          .eq('id', 1)
          .gt(`${name}.id`, 0)
          .order('id', { referencedTable: name, ascending: false })
          .limit(1, { referencedTable: name })
      ).data;
    expect(await by('of')).toEqual([{ of: [{ id: 2 }] }]);
    expect(await by('books')).toEqual([{ of: [{ id: 2 }] }]);
  });

  test('Embeds a resource in itself from its children and from its parent, as asked (contract §2.2)', async () => {
    const children = () => anon.from('teams').select('name,teams(name)').eq('id', 1);
    const expected = [{ name: 'reds', teams: [{ name: 'blues' }] }];
    expect([(await children()).data, (await children()).data]).toEqual([expected, expected]);
    expect((await anon.from('teams').select('name,leader(name)').eq('id', 2)).data).toEqual([
      { name: 'blues', leader: { name: 'reds' } },
    ]);
  });

  test('A bare count counts rows, embedded or not (contract §2.2)', async () => {
    const embedded = await anon.from('authors').select('name,books(count)').order('id').limit(3);
    expect(embedded.data).toEqual([
      { name: 'Ada', books: [{ count: 2 }] },
      { name: 'Konrad', books: [{ count: 1 }] },
      { name: 'Grace', books: [{ count: 1 }] },
    ]);
    expect((await anon.from('games').select('count')).data).toEqual([{ count: 1 }]);
    expect((await anon.from('games').select('matches:count::text')).data).toEqual([{ matches: '1' }]);
  });

  test('An embedded resource without columns joins and is not shown (contract §2.2)', async () => {
    expect((await anon.from('books').select('id,authors()').eq('id', 3)).data).toEqual([{ id: 3 }]);
    expect((await anon.from('authors').select('id,books!inner(),shown:books(id)').eq('id', 2)).data).toEqual([
      { id: 2, shown: [{ id: 3 }] },
    ]);
    expect((await anon.from('shelves').select('id,books()').not('books', 'is', null)).data).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
  });

  test('in what a write returns', async () => {
    const { data } = await service
      .from('books')
      .insert({ title: 'Tmp', author_id: 2 })
      .select('title,authors(name)')
      .single();
    expect(data).toEqual({ title: 'Tmp', authors: { name: 'Konrad' } });
    await service.from('books').delete().eq('title', 'Tmp');
  });

  test('PGRST200 without a relationship, PGRST108 where a filter names what is not embedded (contract §2.3)', async () => {
    const none = await anon.from('authors').select('name,pairs(*)');
    expect(none.status).toBe(400);
    expect(none.error).toMatchObject({
      code: 'PGRST200',
      message: "Could not find a relationship between 'authors' and 'pairs' in the schema cache",
    });
    const near = await anon.from('authors').select('name,boks(*)');
    expect(near.error?.hint).toBe("Perhaps you meant 'books' instead of 'boks'.");
    const stranger = await anon.from('authors').select('name').eq('books.title', 'x');
    expect(stranger).toMatchObject({ status: 400, error: { code: 'PGRST108' } });
  });

  test('what embedding refuses, and the hint that tells two keys apart', async () => {
    const ambiguous = await anon.from('games').select('id,teams(name)');
    expect(ambiguous).toMatchObject({ status: 300, error: { code: 'PGRST201' } });
    expect(ambiguous.error?.details).toContainEqual({
      cardinality: 'many-to-one',
      embedding: 'games with teams',
      relationship: 'games_home_fkey using games(home) and teams(id)',
    });
    expect(ambiguous.error?.hint).toContain("'teams!games_home_fkey', 'teams!games_away_fkey'");
    const hinted = await anon.from('games').select('home:teams!games_home_fkey(name),away:teams!away(name)');
    expect((await anon.from('books').select('id,authors!id(name)').eq('id', 3)).data).toEqual([
      { id: 3, authors: { name: 'Konrad' } },
    ]);
    expect(hinted.data).toEqual([{ home: { name: 'reds' }, away: { name: 'blues' } }]);
    expect(await anon.from('shelves').select('id,books()').eq('books', 1)).toMatchObject({
      error: { code: 'PGRST120' },
    });
    const many = await anon.from('authors').select('id,of:books(id)').order('of(id)');
    expect(many).toMatchObject({
      status: 400,
      error: {
        code: 'PGRST118',
        message: "A related order on 'of' is not possible",
        details: "'authors' and 'of' do not form a many-to-one or one-to-one relationship",
        hint: null,
      },
    });
    expect(await anon.from('authors').select('id,...books(title)')).toMatchObject({ error: { code: 'PGRST127' } });
  });
});
