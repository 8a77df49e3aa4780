import { describe, expect, test } from 'vitest';
import { findSites, replaceAt } from './sites.ts';

const SUBSTITUTES = new Map([['private.is_admin', ['true', 'false']]]);
const mutants = (source: string): string[] => findSites(source, SUBSTITUTES).map((site) => replaceAt(source, site));

describe('places where a mutation weakens a source', () => {
  test('Takes each condition of a conjunction by itself', () => {
    expect(mutants('select 1 from t where a = 1 and b = 2 order by 1')).toEqual([
      'select 1 from t where true and b = 2 order by 1',
      'select 1 from t where a = 1 and true order by 1',
    ]);
  });

  test('Takes alternatives as one condition, and those in parentheses too', () => {
    expect(mutants('select 1 where a or b and c')).toContain('select 1 where true');
    expect(mutants('select 1 where a and (b or c)')).toEqual([
      'select 1 where true and (b or c)',
      'select 1 where a and true',
    ]);
  });

  test('Leaves the end of a range alone', () => {
    expect(mutants('select 1 where a between 1 and 2 and b')).toEqual([
      'select 1 where true and b',
      'select 1 where a between 1 and 2 and true',
    ]);
  });

  test('Takes a refusal out, and no other branch', () => {
    expect(mutants(`if a then raise exception 'x'; end if; if b then c := 1; end if;`)).toEqual([
      `if false then raise exception 'x'; end if; if b then c := 1; end if;`,
    ]);
  });

  test('Decides each alternative of a case both ways, and leaves values and errors alone', () => {
    expect(mutants(`select case when a then case b when 1 then 2 end when c then 3 end`)).toEqual([
      `select case when true then case b when 1 then 2 end when c then 3 end`,
      `select case when false then case b when 1 then 2 end when c then 3 end`,
      `select case when a then case b when 1 then 2 end when true then 3 end`,
      `select case when a then case b when 1 then 2 end when false then 3 end`,
    ]);
    expect(mutants('c := case when true then 1 end; exception when others then null;')).toEqual([]);
  });

  test('Takes a condition with a case in it as a whole', () => {
    expect(mutants('select 1 from t where a and b = case c when 1 then d else e end and f')).toEqual([
      'select 1 from t where true and b = case c when 1 then d else e end and f',
      'select 1 from t where a and true and f',
      'select 1 from t where a and b = case c when 1 then d else e end and true',
    ]);
  });

  test('Takes the condition of a group', () => {
    expect(mutants('select a from t group by a having max(b) > 1 order by 1')).toEqual([
      'select a from t group by a having true order by 1',
    ]);
  });

  test('Replaces a call by each of its substitutes', () => {
    expect(mutants('((SELECT private.is_admin() AS x))')).toEqual(['((SELECT true AS x))', '((SELECT false AS x))']);
  });

  test('Takes the first condition in parentheses', () => {
    expect(mutants('((a = 1) AND (b = 2))')).toEqual(['(true AND (b = 2))', '((a = 1) AND true)']);
  });

  test('Finds nothing in strings and comments', () => {
    expect(mutants(`select 'where a and b' -- where a and b`)).toEqual([]);
  });
});
