import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildCatalog, getRelation } from '#tests/support/rest-catalog.ts';
import { parseLogic, parseOperation } from '../grammar/filters.ts';
import { parseOrder } from '../grammar/query-string.ts';
import { logicSql, orderSql } from './conditions.ts';
import { createParams } from './fragments.ts';
import { createSource } from './plan.ts';

const catalog = await buildCatalog();
const books = createSource(getRelation(catalog, 'books'));
const authors = createSource(getRelation(catalog, 'authors'), 'authors_1');
const NONE = new Map<string, string>();

function filter(name: string, text: string): [sql: string, ...values: unknown[]] {
  const params = createParams();
  const parsed = { field: { name, path: [] }, ...parseOperation(text) };
  return [logicSql(params, books, NONE, { kind: 'filter', filter: parsed }), ...params.values];
}

describe('one filter as SQL (contract §2.1)', () => {
  test.each([
    ['eq.1', '"books"."id" = $1', '1'],
    ['neq.1', '"books"."id" <> $1', '1'],
    ['not.gt.1', '(not "books"."id" > $1)', '1'],
    ['gte.1', '"books"."id" >= $1', '1'],
    ['lt.1', '"books"."id" < $1', '1'],
    ['lte.1', '"books"."id" <= $1', '1'],
    ['like.a*b', '"books"."id" like $1', 'a%b'],
    ['ilike.*a*', '"books"."id" ilike $1', '%a%'],
    ['like(any).{a*,*b}', '"books"."id" like any($1)', '{a%,%b}'],
    ['match.^a*', '"books"."id" ~ $1', '^a*'],
    ['imatch.a', '"books"."id" ~* $1', 'a'],
    ['eq(any).{1,2}', '"books"."id" = any($1)', '{1,2}'],
    ['gt(all).{1,2}', '"books"."id" > all($1)', '{1,2}'],
    ['cs.{a}', '"books"."id" @> $1', '{a}'],
    ['cd.{a}', '"books"."id" <@ $1', '{a}'],
    ['ov.{a}', '"books"."id" && $1', '{a}'],
    ['sl.(1,2)', '"books"."id" << $1', '(1,2)'],
    ['adj.(1,2)', '"books"."id" -|- $1', '(1,2)'],
    ['isdistinct.x', '"books"."id" is distinct from $1', 'x'],
    ['in.(1,2)', '"books"."id" = any($1)', '{"1","2"}'],
    ['in.()', '"books"."id" = any($1)', '{}'],
    ['in.("a,b",c"d)', '"books"."id" = any($1)', String.raw`{"a,b","c\"d"}`],
    ['not.in.(1)', '(not "books"."id" = any($1))', '{"1"}'],
  ])('%s', (text, sql, value) => expect(filter('id', text)).toEqual([sql, value]));

  test.each([
    ['is.null', '"books"."id" is null'],
    ['is.not_null', '"books"."id" is not null'],
    ['not.is.null', '(not "books"."id" is null)'],
    ['is.true', '"books"."id" is true'],
    ['is.unknown', '"books"."id" is unknown'],
  ])('%s has no value', (text, sql) => expect(filter('id', text)).toEqual([sql]));

  test.each([
    ['title', 'fts.a', 'to_tsvector("books"."title") @@ to_tsquery($1::text)', ['a']],
    ['words', 'fts.a', '"books"."words" @@ to_tsquery($1::text)', ['a']],
    [
      'title',
      'plfts(german).a b',
      'to_tsvector($1::regconfig, "books"."title") @@ plainto_tsquery($1::regconfig, $2::text)',
      ['german', 'a b'],
    ],
    ['words', 'wfts(german).a', '"books"."words" @@ websearch_to_tsquery($1::regconfig, $2::text)', ['german', 'a']],
    ['title', 'phfts.a', 'to_tsvector("books"."title") @@ phraseto_tsquery($1::text)', ['a']],
  ])('%s=%s searches words', (name, text, sql, values) => expect(filter(name, text)).toEqual([sql, ...values]));

  test('Refuses an unknown column and names the likely one (42703)', () => {
    expect(() => filter('titel', 'eq.a')).toThrow(
      expect.objectContaining({
        code: '42703',
        message: 'column books.titel does not exist',
        hint: null,
      }),
    );
    expect(() => filter('tittle', 'eq.a')).toThrow(
      expect.objectContaining({ hint: 'Perhaps you meant to reference the column "books.title".' }),
    );
  });
});

describe('trees, paths and embedded resources', () => {
  const tree = (text: string, embedded = NONE): string => logicSql(createParams(), books, embedded, parseLogic(text));

  test.each([
    ['and(id.eq.1,title.eq.a)', '("books"."id" = $1 and "books"."title" = $2)'],
    ['or(id.eq.1)', '"books"."id" = $1'],
    ['not.or(id.eq.1,id.eq.2)', '(not ("books"."id" = $1 or "books"."id" = $2))'],
    ['not.and(id.eq.1)', '(not "books"."id" = $1)'],
    [
      'or(id.eq.1,and(id.gt.2,not.title.is.null))',
      '("books"."id" = $1 or ("books"."id" > $2 and (not "books"."title" is null)))',
    ],
    ['or(data->a->>b.eq.1)', '("books"."data"->$1::text->>$2::text) = $3'],
    ['or(title->>0.eq.1)', '(to_jsonb("books"."title")->>$1::int) = $2'],
  ])('%s', (text, sql) => expect(tree(text)).toBe(sql));

  test.each([
    ['or(author.is.null)', '"author_1"."value" is null'],
    ['or(author.not.is.null)', '"author_1"."value" is not null'],
    ['or(author.is.not_null)', '"author_1"."value" is not null'],
    ['or(not.author.is.not_null)', '"author_1"."value" is null'],
  ])('%s asks whether an embedded row is there', (text, sql) => {
    expect(tree(text, new Map([['author', '"author_1"."value"']]))).toBe(sql);
  });

  test.each(['author.eq.1', 'author.is.true', 'author.in.(1)'])('Refuses %s of an embedded row (PGRST120)', (text) => {
    const embedded = new Map([['author', 'x']]);
    expect(() => tree(`or(${text})`, embedded)).toThrow(expect.objectContaining({ code: 'PGRST120', status: 400 }));
  });

  test('A column goes before an embedded resource of the same name', () => {
    expect(tree('or(title.eq.a)', new Map([['title', 'x']]))).toBe('"books"."title" = $1');
  });
});

describe('order', () => {
  const order = (text: string): string =>
    orderSql(createParams(), books, new Map([['author', authors]]), parseOrder(text));

  test.each([
    ['id', ' order by "books"."id"'],
    ['id.desc', ' order by "books"."id" desc'],
    ['id.asc.nullsfirst,title.nullslast', ' order by "books"."id" asc nulls first, "books"."title" nulls last'],
    ['data->>a.desc', ' order by ("books"."data"->>$1::text) desc'],
    ['author(name).desc,id', ' order by "authors_1"."name" desc, "books"."id"'],
  ])('%s', (text, sql) => expect(order(text)).toBe(sql));

  test('Refuses to order by an embedded resource of many rows (PGRST118)', () => {
    const related = new Map([['author', undefined]]);
    expect(() => orderSql(createParams(), books, related, parseOrder('id,author(id)'))).toThrow(
      expect.objectContaining({ code: 'PGRST118', status: 400 }),
    );
  });

  test('Nothing is ordered without terms', () => expect(orderSql(createParams(), books, new Map(), [])).toBe(''));

  test('Refuses a resource that is not embedded (PGRST108)', () => {
    expect(() => order('shelf(id)')).toThrow(expect.objectContaining({ code: 'PGRST108' }));
  });
});

test('No value becomes part of the SQL, whatever it holds (threat 10)', () => {
  const marked = fc.string().map((text) => `§${text}§`);
  const operator = fc.constantFrom('eq', 'neq', 'like', 'match', 'cs', 'isdistinct', 'fts', 'plfts(german)');
  fc.assert(
    fc.property(operator, marked, fc.boolean(), (name, value, inTree) => {
      const params = createParams();
      const quoted = `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
      const logic = inTree
        ? parseLogic(`or(title.${name}.${quoted},title.in.(${quoted}))`)
        : ({
            kind: 'filter',
            filter: { field: { name: 'title', path: [] }, ...parseOperation(`${name}.${value}`) },
          } as const);
      const sql = logicSql(params, books, NONE, logic);
      expect(sql).not.toContain('§');
      expect(Math.max(...[...sql.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)))).toBe(params.values.length);
    }),
  );
});
