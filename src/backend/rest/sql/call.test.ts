import { describe, expect, test } from 'vitest';
import { buildCatalog, describeRoutine } from '#tests/support/rest-catalog.ts';
import { callSql, chooseRoutine, createResultSource, type Arguments } from './call.ts';
import { createParams } from './fragments.ts';

const catalog = await buildCatalog({
  routines: [
    describeRoutine('add', ['a integer', 'b integer'], { defaults: 1 }),
    describeRoutine('over', ['a integer']),
    describeRoutine('over', ['a text']),
    describeRoutine('over', ['a text', 'b text']),
    describeRoutine('whole', [' json']),
    describeRoutine('shout', [' text']),
    describeRoutine('store', [' bytea']),
    describeRoutine('either', []),
    describeRoutine('either', [' text']),
    describeRoutine('sum', ['v integer[]'], { variadic: true, argModes: ['v'] }),
    describeRoutine('odd "name"', ['the"x text']),
    describeRoutine('rows', [], { kind: 'composite', set: true }),
  ],
});

const query = (...pairs: [string, string][]): Arguments => ({ kind: 'query', pairs });
const json = (value: object): Arguments => ({
  kind: 'json',
  json: JSON.stringify(value),
  list: false,
  keys: Object.keys(value),
});
const raw = (type: 'text' | 'xml' | 'bytea', value: string | Buffer = 'x'): Arguments => ({ kind: 'raw', type, value });

function choose(name: string, args: Arguments): readonly string[] {
  const { routine, style } = chooseRoutine(catalog, 'public', name, args);
  return [...routine.parameters.map((parameter) => `${parameter.name} ${parameter.type}`), style];
}

function write(name: string, args: Arguments): { sql: string; values: readonly unknown[] } {
  const params = createParams();
  const sql = callSql(params, chooseRoutine(catalog, 'public', name, args), args);
  return { sql: sql.replaceAll(/\s+/g, ' '), values: params.values };
}

describe('the function that a call means (contract §2.2)', () => {
  test.each([
    ['add', query(['a', '1']), ['a integer', 'b integer', 'named']],
    ['add', json({ b: 1, a: 2 }), ['a integer', 'b integer', 'named']],
    ['over', json({ a: 1, b: 2 }), ['a text', 'b text', 'named']],
    ['whole', json({ anything: 1 }), [' json', 'unnamed']],
    ['whole', json({}), [' json', 'unnamed']],
    ['shout', raw('text'), [' text', 'unnamed']],
    ['store', raw('bytea', Buffer.from('x')), [' bytea', 'unnamed']],
    ['either', raw('text'), [' text', 'unnamed']],
    ['either', query(), ['named']],
    ['either', json({}), ['named']],
    ['sum', query(), ['v integer[]', 'named']],
    ['whole', { kind: 'json', json: '{"":1}', list: false, keys: [''] }, [' json', 'unnamed']],
  ] as const)('%s with %j', (name, args, expected) => expect(choose(name, args)).toEqual(expected));

  test.each([
    ['add', query()],
    ['add', query(['b', '1'])],
    ['add', json({ a: 1, c: 2 })],
    ['shout', raw('xml')],
    ['whole', query()],
    ['add', raw('text')],
    ['nothing', query()],
  ] as const)('Refuses %s with %j (PGRST202)', (name, args) => {
    expect(() => choose(name, args)).toThrow(expect.objectContaining({ status: 404, code: 'PGRST202' }));
  });

  test('Refuses overloads that take the same names, and lists them (PGRST203)', () => {
    expect(() => choose('over', query(['a', '1']))).toThrow(
      expect.objectContaining({
        status: 300,
        code: 'PGRST203',
        message:
          'Could not choose the best candidate function between: public.over(a => integer), public.over(a => text)',
      }),
    );
  });
});

describe('the SQL of a call', () => {
  test.each([
    ['add', query(['a', '1']), 'select call.* from "public"."add"("a" => $1::integer) as call (pgrst_scalar)', ['1']],
    [
      'add',
      query(['a', '1'], ['a', '2'], ['b', '3']),
      'select call.* from "public"."add"("a" => $1::integer, "b" => $2::integer) as call (pgrst_scalar)',
      ['2', '3'],
    ],
    [
      'sum',
      query(['v', '1'], ['v', '2']),
      'select call.* from "public"."sum"(variadic "v" => $1::integer[]) as call (pgrst_scalar)',
      [['1', '2']],
    ],
    [
      'sum',
      query(['v', '{1,2}']),
      'select call.* from "public"."sum"(variadic "v" => $1::integer[]) as call (pgrst_scalar)',
      ['{1,2}'],
    ],
    ['whole', json({ a: 1 }), 'select call.* from "public"."whole"($1::json) as call (pgrst_scalar)', ['{"a":1}']],
    ['shout', raw('text', 'hi'), 'select call.* from "public"."shout"($1::text) as call (pgrst_scalar)', ['hi']],
    ['either', json({}), 'select call.* from "public"."either"() as call (pgrst_scalar)', []],
    ['rows', query(), 'select call.* from "public"."rows"() as call', []],
    [
      'add',
      json({ b: 1, a: 2 }),
      'select call.* from json_to_record($1::json) as body ("a" integer, "b" integer)' +
        ' cross join lateral "public"."add"("a" => body."a", "b" => body."b") as call (pgrst_scalar)',
      ['{"b":1,"a":2}'],
    ],
  ] as const)('%s with %j', (name, args, sql, values) => expect(write(name, args)).toEqual({ sql, values }));

  test('Quotes names and passes values as parameters, whatever they hold', () => {
    const { sql, values } = write('odd "name"', query(['the"x', `'); drop table books; --`]));
    expect(sql).toContain('"public"."odd ""name"""("the""x" => $1::text)');
    expect(values).toEqual([`'); drop table books; --`]);
  });
});

test('A result’s columns are those of the function, under its name', () => {
  const { routine } = chooseRoutine(catalog, 'public', 'rows', query());
  expect(createResultSource(routine)).toMatchObject({ alias: 'rows', name: 'rows', computed: new Set() });
});
