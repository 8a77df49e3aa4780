import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { negotiateFormat } from '../request/media.ts';
import { capExceeded, cappedSql } from './caps.ts';
import { bodySql, pageSql, statementSql } from './statement.ts';

const CAPS = { max_answer_rows: 100, max_answer_bytes: 1_000 };
const SELECT = { page: 'select 1', documents: 'select 2' };
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');

describe('the body by format (contract §2.2)', () => {
  test.each([
    ['application/json', "coalesce(json_agg(_pgrst_row)::text, '[]')"],
    ['application/vnd.pgrst.object+json', "coalesce((json_agg(_pgrst_row)->0)::text, 'null')"],
    ['application/vnd.pgrst.array+json;nulls=stripped', "coalesce(json_strip_nulls(json_agg(_pgrst_row))::text, '[]')"],
    [
      'application/vnd.pgrst.object+json;nulls=stripped',
      "coalesce((json_strip_nulls(json_agg(_pgrst_row))->0)::text, 'null')",
    ],
  ])('%s', (accept, sql) => expect(bodySql(negotiateFormat(accept))).toBe(sql));

  test('Single values are gathered without their column', () => {
    expect(bodySql(negotiateFormat('*/*'), 'pgrst_scalar')).toBe(
      "coalesce(json_agg(_pgrst_row.pgrst_scalar)::text, '[]')",
    );
  });

  test('CSV has a header line from the first row', () => {
    expect(flat(bodySql(negotiateFormat('text/csv')))).toContain("|| e'\\n' || coalesce(string_agg(");
  });
});

describe('the page', () => {
  test.each([
    ['application/json', undefined, 'select 1'],
    ['application/json', CAPS, cappedSql('select 2', CAPS)],
    ['text/csv', CAPS, 'select 1'],
  ])('%s with caps %j', (accept, caps, page) => {
    expect(pageSql(SELECT, negotiateFormat(accept), caps).page).toBe(page);
  });

  test('Every statement answers with one row, and leaves a long body in the database', () => {
    const sql = flat(statementSql({ before: ['a as (select 1)'], page: 'select 2', body: 'b', total: '3' }, 77));
    expect(sql).toMatch(/^with a as \(select 1\), pgrst_page as \(select 2\) select total, "rowCount",/);
    expect(sql).toContain('case when octet_length(body) <= 77 then body end as body');
    expect(sql).toContain('select 3::bigint as total, count(*) as "rowCount", count(*) as page, b as body');
  });

  test('Parts that a request does not need are null', () => {
    const sql = flat(statementSql({ before: [], page: 'p', body: 'b' }, 1));
    expect(sql).toContain('select null::bigint as total');
    expect(sql).toContain('null as inserted, null::json as location');
  });
});

describe('answers above the caps (decision 0130)', () => {
  const refused = (message: string, code = '22P02'): Error =>
    Object.assign(new pg.DatabaseError(message, 1, 'error'), { code });

  test.each([
    ['rows 101', 'One answer holds at most 100 rows.'],
    ['bytes 1001', 'One answer holds at most 1000 bytes.'],
  ])('%s', (what, details) => {
    const error = refused(`invalid input syntax for type integer: "pgrst_answer_too_large ${what}"`);
    expect(capExceeded(error, CAPS)).toMatchObject({ status: 400, code: 'answer_too_large', details });
  });

  test.each([
    refused('invalid input syntax for type integer: "a"'),
    refused('invalid input syntax for type integer: "pgrst_answer_too_large cats 1"'),
    refused('invalid input syntax for type integer: "pgrst_answer_too_large rows 101"', '22003'),
    new Error('"pgrst_answer_too_large rows 101"'),
  ])('%s is another error', (error) => expect(capExceeded(error, CAPS)).toBeUndefined());
});
