import { describe, expect, test } from 'vitest';
import { buildCatalog, getRelation } from '#tests/support/rest-catalog.ts';
import { parseQueryString } from '../grammar/query-string.ts';
import { mayBeLarge } from './caps.ts';
import { createParams, ident, qualified } from './fragments.ts';
import { createSource, planRead, type ReadPlan } from './plan.ts';
import { buildSelect, type SelectSql } from './read.ts';

const catalog = await buildCatalog();
const CAPS = { max_answer_rows: 100, max_answer_bytes: 1_000 };
const LIMITS = { max_rows: 50, max_embed_depth: 2, max_embeds: 3, max_embed_repeats: 1 };

function plan(name: string, query: string, limits: Partial<typeof LIMITS> = {}): ReadPlan {
  const relation = getRelation(catalog, name);
  const range = { offset: 0, limit: undefined };
  const parsed = parseQueryString(query, 'relation');
  return planRead(catalog, parsed, createSource(relation), relation, range, { ...LIMITS, ...limits });
}

function read(name: string, query: string): SelectSql & Readonly<{ values: readonly unknown[] }> {
  const relation = getRelation(catalog, name);
  const params = createParams();
  const from = `${qualified(relation)} as ${ident(relation.name)}`;
  const sql = buildSelect(params, catalog, plan(name, query), from, CAPS);
  const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
  return { page: flat(sql.page), documents: flat(sql.documents), matching: flat(sql.matching), values: params.values };
}

const FROM = 'from "public"."books" as "books"';

describe('rows of one relation', () => {
  test.each([
    ['', `select "books".* ${FROM}`],
    ['select=id,title', `select "books"."id" as "id", "books"."title" as "title" ${FROM}`],
    ['select=name:title', `select "books"."title" as "name" ${FROM}`],
    ['select=id::text', `select cast("books"."id" as text) as "id" ${FROM}`],
    ['select=data->a->>b', `select ("books"."data"->$1::text->>$2::text) as "b" ${FROM}`],
    ['select=data->list->0', `select ("books"."data"->$1::text->$2::int) as "list" ${FROM}`],
    ['select=data->>a::int', `select cast(("books"."data"->>$1::text) as integer) as "a" ${FROM}`],
    ['select=count', `select "books"."count" as "count" ${FROM}`],
    ['id=eq.1&title=is.null', `select "books".* ${FROM} where "books"."id" = $1 and "books"."title" is null`],
    ['order=title.desc,id', `select "books".* ${FROM} order by "books"."title" desc, "books"."id"`],
  ])('%s', (query, sql) => expect(read('books', query).page).toBe(sql));

  test('The page is a parameter, and the rows to count have none', () => {
    const relation = getRelation(catalog, 'books');
    const params = createParams();
    const paged = { ...plan('books', 'id=gt.1&order=id'), range: { offset: 20, limit: 10 } };
    const { page, matching } = buildSelect(params, catalog, paged, `${qualified(relation)} as "books"`, CAPS);
    expect(page).toBe(`select "books".* ${FROM} where "books"."id" > $1 order by "books"."id" limit $2 offset $3`);
    expect(params.values).toEqual(['1', 10, 20]);
    expect(matching).toBe(`${FROM} where "books"."id" > $1`);
  });

  test('Selects computed columns, and quotes names that hold quotes', () => {
    expect(read('authors', 'select=full_name').page).toContain('"authors"."full_name" as "full_name"');
    expect(read('odd "name"', 'select="a\\"b"').page).toBe(
      'select "odd ""name"""."a""b" as "a""b" from "public"."odd ""name""" as "odd ""name"""',
    );
  });

  test.each([
    ['select=nothing', '42703'],
    ['select=id::nothing', '42704'],
    ['nothing=eq.1', '42703'],
    ['order=nothing', '42703'],
    ['authors.id=eq.1', 'PGRST108'],
    ['select=id,authors(id)&books.id=eq.1', 'PGRST108'],
    ['authors.order=id', 'PGRST108'],
    ['authors.limit=1', 'PGRST108'],
    ['select=id,nothing(id)', 'PGRST200'],
    ['select=id,...covers(picture),...shelves(id)', 'PGRST127'],
  ])('Refuses %s with %s', (query, code) => {
    expect(() => read('books', query)).toThrow(expect.objectContaining({ code }));
  });

  test('Makes documents of the rows, one row held each', () => {
    expect(read('books', 'select=id').documents).toBe(
      `select row_to_json(one.*) as json, 1 as held from (select "books"."id" as "id" ${FROM}) as one`,
    );
  });
});

describe('embedded resources', () => {
  test('One row is joined by the key, as one document', () => {
    const { page, documents, values } = read('books', 'select=title,author:authors(name)&author.name=eq.Ada');
    expect(page).toBe(
      `select "books"."title" as "title", "authors_of_2"."value" as "author" ${FROM} left join lateral` +
        ' (select json as value, held from (select row_to_json(one.*) as json, 1 as held from' +
        ' (select "authors_1"."name" as "name" from "public"."authors" as "authors_1"' +
        ' where "authors_1"."id" = "books"."author_id" and "authors_1"."name" = $1 limit $2) as one) as one)' +
        ' as "authors_of_2" on true',
    );
    expect(documents).toContain('1 + coalesce("authors_of_2".held, 0) as held');
    expect(values).toEqual(['Ada', 50]);
  });

  test('Several rows are a list, empty where there is none, with their own order and limit', () => {
    const { page, values } = read(
      'authors',
      'select=name,books(title)&books.order=title.desc&books.limit=3&books.offset=1',
    );
    expect(page).toContain(`coalesce("books_of_2"."value", '[]') as "books"`);
    expect(page).toContain(
      'where "books_1"."author_id" = "authors"."id" order by "books_1"."title" desc limit $1 offset $2',
    );
    expect(values.slice(0, 2)).toEqual([3, 1]);
  });

  test('A junction is joined by the keys of both sides', () => {
    expect(read('books', 'select=shelves(label)').page).toContain(
      'from "public"."shelves" as "shelves_1" join "public"."shelf_books" as "shelves_of_2_via"' +
        ' on "shelves_of_2_via"."shelf_id" = "shelves_1"."id" where "shelves_of_2_via"."book_id" = "books"."id"',
    );
  });

  test.each([
    ['select=id,authors!inner(name)', ' join lateral (', 'on "authors_of_2"."value" is not null'],
    ['select=id,authors!left(name)', ' left join lateral (', 'on true'],
    ['select=id,...authors(name)', ' left join lateral (select "authors_1"."name"', 'as "authors_of_2" on true'],
    ['select=id,authors()', ' left join lateral (select true as value, 1 as held from (select ', 'as one limit 1)'],
  ])('%s', (query, kind, end) => {
    const { matching } = read('books', query);
    expect(matching).toContain(kind);
    expect(matching).toContain(end);
  });

  test('A spread resource puts its columns beside the others, an empty one shows none', () => {
    expect(read('books', 'select=id,...authors(name)').page).toMatch(
      /^select "books"."id" as "id", "authors_of_2".\* from/,
    );
    expect(read('books', 'select=id,authors()').page).toMatch(/^select "books"."id" as "id" from/);
  });

  test('Orders by a column of an embedded row, which is joined a second time for that', () => {
    const { page } = read('books', 'select=id,authors(name)&order=authors(name).desc');
    expect(page).toContain(
      ' left join "public"."authors" as "authors_of_2_row" on "authors_of_2_row"."id" = "books"."author_id"',
    );
    expect(page).toContain(' order by "authors_of_2_row"."name" desc');
  });

  test('A filter asks whether there is an embedded row', () => {
    expect(read('books', 'select=id,authors(name)&authors=is.null').matching).toContain(
      ' where "authors_of_2"."value" is null',
    );
  });

  test('A relation within itself has its own alias at each place', () => {
    const { page } = read('employees', 'select=id,employees(id)');
    expect(page).toContain(
      'from "public"."employees" as "employees_1" where "employees_1"."manager_id" = "employees"."id"',
    );
  });
});

describe('limits on embedding (decision 0130)', () => {
  test.each([
    ['books', 'select=authors(books(covers(picture)))', {}, 'Relations are embedded at most 2 deep.'],
    ['books', 'select=authors(id),covers(picture)', { max_embeds: 1 }, 'One request embeds at most 1 relations.'],
    [
      'books',
      'select=authors(books(id))',
      { max_embed_repeats: 0 },
      "'books' comes again inside itself more than 0 times.",
    ],
  ])('%s?%s is refused', (name, query, limits, details) => {
    expect(() => plan(name, query, limits)).toThrow(
      expect.objectContaining({ status: 400, code: 'embedding_refused', details }),
    );
  });

  test('Embedded rows are capped by max_rows, and by less where the request says so', () => {
    expect(plan('authors', 'select=books(id)').embeds[0]?.range).toEqual({ offset: 0, limit: 50 });
    expect(plan('authors', 'select=books(id)&books.limit=7').embeds[0]?.range).toEqual({ offset: 0, limit: 7 });
    expect(plan('authors', 'select=books(id)&books.limit=700').embeds[0]?.range).toEqual({ offset: 0, limit: 50 });
  });
});

describe('answers that may be large (decision 0130)', () => {
  test.each([
    ['books', 'select=id,author_id', false],
    ['books', 'select=id,title', true],
    ['books', '', true],
    ['books', 'select=data->a', true],
    ['books', 'id=eq.1', false],
    ['books', 'id=eq(any).{1}', true],
    ['books', 'id=not.eq.1', true],
    ['books', 'or=(id.eq.1)', true],
    ['shelf_books', '', false],
    ['books', 'id=eq.1&select=id,authors(id)', true],
  ])('%s?%s: %s', (name, query, large) => {
    expect(mayBeLarge(plan(name, query), getRelation(catalog, name))).toBe(large);
  });

  test('One row is never large', () => {
    expect(mayBeLarge({ ...plan('books', ''), range: { offset: 0, limit: 1 } })).toBe(false);
  });
});
