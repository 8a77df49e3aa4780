import { describe, expect, test } from 'vitest';
import { buildCatalog, getRelation } from '#tests/support/rest-catalog.ts';
import { parseQueryString } from '../grammar/query-string.ts';
import { NO_LIMITS, readPayload, type Payload } from '../request/payload.ts';
import { createParams } from './fragments.ts';
import { createSource, planRead } from './plan.ts';
import {
  chooseConflictTarget,
  deleteSql,
  insertSql,
  listReturned,
  returningSql,
  updateSql,
  type InsertOptions,
} from './write.ts';

const catalog = await buildCatalog();
const authors = getRelation(catalog, 'authors');
const odd = getRelation(catalog, 'odd "name"');

const parse = (value: unknown): Payload =>
  readPayload(Buffer.from(JSON.stringify(value)), 'application/json', undefined, NO_LIMITS);

function insert(value: unknown, more: Partial<InsertOptions> = {}, relation = authors): string[] {
  const params = createParams();
  const options = { defaults: false, conflict: undefined, conditions: [], returning: '1', ...more };
  const sql = insertSql(params, relation, { payload: parse(value), ...options });
  return [sql.replaceAll(/\s+/g, ' '), ...params.values.map(String)];
}

const INTO = 'insert into "public"."authors" as "authors"';

describe('insert', () => {
  test.each([
    [
      { name: 'Ada' },
      `${INTO} ("name") select body."name" from json_to_record($1::json) as body ("name" text) returning 1`,
      '{"name":"Ada"}',
    ],
    [
      [{ id: 1, name: 'Ada' }],
      `${INTO} ("id", "name") select body."id", body."name" from json_to_recordset($1::json) as body` +
        ' ("id" integer, "name" text) returning 1',
      '[{"id":1,"name":"Ada"}]',
    ],
  ])('%j casts each value to the type of its column', (value, sql, json) => {
    expect(insert(value)).toEqual([sql, json]);
  });

  test('An empty object inserts one row of defaults, an empty list none', () => {
    expect(insert({})).toEqual([`${INTO} select from (values (1)) as body (one) returning 1`]);
    expect(insert([])).toEqual([`${INTO} select from json_array_elements($1::json) as body (one) returning 1`, '[]']);
  });

  test('Missing keys take the defaults of their columns where the caller asks for it', () => {
    const [one] = insert({ id: null, name: 'Ada' }, { defaults: true });
    expect(one).toContain(
      `jsonb_to_record(jsonb_build_object('id', 7) || $1::jsonb) as body ("id" integer, "name" text)`,
    );
    const [many] = insert([{ id: 1 }], { defaults: true });
    expect(many).toContain(
      `jsonb_to_recordset((select coalesce(jsonb_agg(jsonb_build_object('id', 7) || element), '[]')` +
        ' from jsonb_array_elements($1::jsonb) as element))',
    );
  });

  test.each([
    ['merge', ' on conflict ("id") do update set "id" = excluded."id", "name" = excluded."name" returning 1'],
    ['ignore', ' on conflict ("id") do nothing returning 1'],
  ] as const)('A conflict is resolved by %s', (resolution, end) => {
    const [sql = ''] = insert({ id: 1, name: 'Ada' }, { conflict: { target: ['id'], resolution } });
    expect(sql.endsWith(end)).toBe(true);
  });

  test('Without a key there is no conflict, and without columns nothing to merge', () => {
    expect(insert({ id: 1 }, { conflict: { target: [], resolution: 'merge' } })[0]).not.toContain('conflict');
    const [sql] = insert([], { conflict: { target: ['id'], resolution: 'merge' } });
    expect(sql).toContain('on conflict ("id") do nothing');
  });

  test('Conditions choose rows of the body', () => {
    expect(insert({ id: 1 }, { conditions: ['body."id" = $2', 'true'] })[0]).toContain(
      'as body ("id" integer) where body."id" = $2 and true returning 1',
    );
  });

  test('Refuses a key that is no column (PGRST204)', () => {
    expect(() => insert({ name: 'Ada', nmae: 'x' })).toThrow(
      expect.objectContaining({
        status: 400,
        code: 'PGRST204',
        message: "Could not find the 'nmae' column of 'authors' in the schema cache",
      }),
    );
  });

  test('Quotes names that hold quotes, and keeps values out of the SQL', () => {
    const [sql, value] = insert({ 'a"b': `'); drop table authors; --` }, {}, odd);
    expect(sql).toContain('insert into "public"."odd ""name""" as "odd ""name""" ("a""b")');
    expect(sql).not.toContain('drop');
    expect(value).toContain('drop');
  });
});

describe('update and delete', () => {
  const update = (value: unknown, where = ''): string => {
    const options = { payload: parse(value), defaults: false, where, returning: '*' };
    return updateSql(createParams(), authors, options).replaceAll(/\s+/g, ' ');
  };

  test('Updates from the first row of the body', () => {
    expect(update([{ name: 'Ada' }], ' where id = 1')).toBe(
      'update "public"."authors" as "authors" set "name" = body."name" from (select * from' +
        ' json_to_recordset($1::json) as body ("name" text) limit 1) as body where id = 1 returning *',
    );
  });

  test.each([
    ['', ' where false'],
    [' where id = 1', ' where id = 1 and false'],
  ])('A body without columns changes no row (where: %j)', (where, end) => {
    expect(update({}, where)).toBe(`select * from "public"."authors" as "authors"${end}`);
  });

  test('Deletes what the conditions choose', () => {
    expect(deleteSql(authors, ' where id = 1', '1')).toBe(
      'delete from "public"."authors" as "authors" where id = 1 returning 1',
    );
  });
});

describe('what a conflict is about', () => {
  test.each([
    [undefined, ['id']],
    [['name'], ['name']],
    [
      ['name', 'born'],
      ['name', 'born'],
    ],
  ])('on_conflict=%j', (given, target) => expect(chooseConflictTarget(authors, given)).toEqual(target));

  test('Refuses an unknown column (42703)', () => {
    expect(() => chooseConflictTarget(authors, ['id', 'x'])).toThrow(expect.objectContaining({ code: '42703' }));
  });
});

describe('what a write returns for the rows that are shown', () => {
  const returned = (select: string, keys: readonly string[] = []): [all: boolean, names: string] => {
    const query = parseQueryString(select, 'relation');
    const limits = { max_rows: 10, max_embed_depth: 4, max_embeds: 4, max_embed_repeats: 1 };
    const plan = planRead(catalog, query, createSource(authors), authors, { offset: 0, limit: undefined }, limits);
    const { all, names } = listReturned(authors, plan, keys);
    return [all, names.join(' ')];
  };

  test.each([
    ['', [true, '']],
    ['select=name', [false, 'name']],
    ['select=name,id,name', [false, 'name id']],
    ['select=*,full_name', [true, 'full_name']],
    ['select=name&order=born.desc', [false, 'name born']],
    ['select=name,books(title)', [false, 'name id']],
    ['select=*,books(title)', [true, '']],
  ])('%s', (select, expected) => expect(returned(select)).toEqual(expected));

  test('Adds the keys of a Location', () => {
    expect(returned('select=name', ['id'])).toEqual([false, 'name id']);
    expect(listReturned(authors, undefined, ['id'])).toEqual({ all: false, names: ['id'] });
  });

  test.each([
    [{ all: false, names: [] }, undefined, '1'],
    [{ all: true, names: ['full_name'] }, undefined, '"authors".*, "authors"."full_name"'],
    [{ all: true, names: [] }, 'pgrst_row', '"authors" as pgrst_row'],
    [{ all: false, names: ['id', 'name'] }, 'pgrst_row', '"authors"."id", "authors"."name"'],
  ])('%j is returned as SQL', (columns, row, sql) => expect(returningSql(authors, columns, row)).toBe(sql));
});
