import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from '../errors.ts';
import { parseQueryString } from '../grammar/query-string.ts';

import { negotiateFormat } from './media.ts';
import { NO_LIMITS, parseMediaType, parseCsv, readPayload } from './payload.ts';
import { formatApplied, parsePreferences } from './preferences.ts';
import { capRange, formatContentRange, getRangeStatus, parseRange } from './ranges.ts';

describe('Prefer', () => {
  test('Takes the first value of each preference, and ignores blanks and unknown ones', () => {
    expect(
      parsePreferences(
        ' return=minimal ,return=representation, count=exact,foo,timezone=Nowhere/Else,max-affected=x',
        false,
      ),
    ).toEqual({
      return: 'minimal',
      count: 'exact',
    });
  });

  test('Knows tx= only where the project allows it', () => {
    expect(parsePreferences('tx=rollback', false)).toEqual({});
    expect(parsePreferences('tx=rollback', true)).toEqual({ tx: 'rollback' });
    expect(() => parsePreferences('handling=strict,tx=rollback', false)).toThrow(
      expect.objectContaining({ code: 'PGRST122' }),
    );
  });

  test('A limit that is no number is known and sets none, even where another follows', () => {
    expect(parsePreferences('handling=strict,max-affected=abc,max-affected=2', false)).toEqual({ handling: 'strict' });
    expect(parsePreferences('max-affected=-1', false)).toEqual({ maxAffected: -1 });
  });

  test.each(['UTC-5', 'EST5EDT4', '+05:00', 'america/lima'])('The zone %s is unknown', (zone) => {
    expect(parsePreferences(`timezone=${zone}`, false)).toEqual({});
    expect(() => parsePreferences(`handling=strict,timezone=${zone}`, false)).toThrow(
      expect.objectContaining({ code: 'PGRST122' }),
    );
  });

  test('Takes no name that every object has for a preference', () => {
    expect(parsePreferences('constructor=x,__proto__=y,toString', false)).toEqual({});
  });

  test('Names the applied preferences in upstream’s order', () => {
    const preferences = parsePreferences('max-affected=2,handling=strict,count=exact,return=minimal', false);
    expect(formatApplied(preferences, ['return', 'maxAffected'])).toBe(
      'return=minimal, count=exact, handling=strict, max-affected=2',
    );
    expect(formatApplied({}, [])).toBeUndefined();
  });
});

describe('ranges', () => {
  const range = (query: string, header?: string) => parseRange(parseQueryString(query, 'relation'), header);

  test('Combines the range of the address with that of the header', () => {
    expect(range('')).toEqual({ offset: 0, limit: undefined });
    expect(range('limit=5&offset=10')).toEqual({ offset: 10, limit: 5 });
    expect(range('', '2-4')).toEqual({ offset: 2, limit: 3 });
    expect(range('limit=10&offset=3', '5-')).toEqual({ offset: 5, limit: 8 });
    expect(range('limit=0', '5-9')).toEqual({ offset: 0, limit: 0 });
    expect(range('offset=-3')).toEqual({ offset: 0, limit: undefined });
    expect(capRange({ offset: 1, limit: undefined }, 50)).toEqual({ offset: 1, limit: 50 });
  });

  test.each(['items=2-4', 'bytes=0-0', 'bytes=nonsense', '-5', '2-4,6-8', '2-4 '.repeat(2)])(
    'Ignores the header %j, as upstream',
    (header) => expect(range('', header)).toEqual({ offset: 0, limit: undefined }),
  );

  test('Keeps numbers beyond every table safe integers', () => {
    const { offset, limit } = range('offset=99999999999999999999&limit=99999999999999999999');
    expect(Number.isSafeInteger(offset) && Number.isSafeInteger(limit)).toBe(true);
  });

  test('Reads any header or refuses it with 416', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.tuple(fc.nat(), fc.nat()).map(([a, b]) => `${a}-${b}`),
        ),
        (header) => {
          try {
            const { offset, limit } = range('', header);
            expect(offset >= 0 && (limit ?? 1) > 0).toBe(true);
          } catch (error) {
            expect(error).toMatchObject({ code: 'PGRST103', status: 416 });
          }
        },
      ),
    );
  });

  test('Content-Range and status', () => {
    expect([formatContentRange(0, 3, undefined), formatContentRange(5, 0, 9), formatContentRange(0, 0, 0)]).toEqual([
      '0-2/*',
      '*/9',
      '*/0',
    ]);
    expect([getRangeStatus(0, 3, undefined), getRangeStatus(0, 3, 3), getRangeStatus(0, 2, 3)]).toEqual([
      200, 200, 206,
    ]);
    expect(() => getRangeStatus(4, 0, 3)).toThrow(expect.objectContaining({ code: 'PGRST103' }));
  });
});

describe('Accept', () => {
  test('Chooses by quality, then by order', () => {
    expect(negotiateFormat('text/csv;q=0.5, application/json')).toMatchObject({ kind: 'array' });
    expect(negotiateFormat('text/csv, application/json')).toMatchObject({ kind: 'csv' });
    expect(negotiateFormat('application/vnd.pgrst.object')).toMatchObject({ kind: 'object', stripNulls: false });
    expect(() => negotiateFormat('image/png, text/html')).toThrow(
      'None of these media types are available: image/png, text/html',
    );
  });
});

describe('bodies', () => {
  const read = (text: string, type = 'application/json', columns?: string[], limits = NO_LIMITS) =>
    readPayload(Buffer.from(text), type, columns, limits);

  test('Reads the shape and the keys that all objects share', () => {
    expect(read('{"a":1,"b":2}')).toMatchObject({ kind: 'object', keys: ['a', 'b'] });
    expect(read('[{"a":1,"b":2},{"b":1,"a":2}]')).toMatchObject({ kind: 'array', keys: ['a', 'b'] });
    expect(read('[]')).toMatchObject({ kind: 'array', keys: [] });
    expect(read('"text"')).toMatchObject({ kind: 'array', json: '[]' });
    expect(read('[{"x":1},{}]', 'application/json', ['a'])).toMatchObject({ keys: ['a'] });
    expect(parseMediaType('Application/JSON; charset=utf-8')).toBe('application/json');
    expect(parseMediaType(undefined)).toBe('application/json');
  });

  test('Refuses bytes that are not UTF-8', () => {
    expect(() => readPayload(Buffer.from([0x22, 0xff, 0x22]), 'application/json', undefined, NO_LIMITS)).toThrow(
      RestError,
    );
  });

  test.each([
    ['objects', `[${'{},'.repeat(20)}{}]`, 'application/json', 'too_many_values'],
    ['lists', `[${'[],'.repeat(20)}[]]`, 'application/json', 'too_many_values'],
    [
      'keys',
      JSON.stringify(Object.fromEntries(Array.from({ length: 21 }, (_, at) => [at, 1]))),
      undefined,
      'too_many_values',
    ],
    ['pairs of a form', 'a&'.repeat(1_001), 'application/x-www-form-urlencoded', 'too_many_values'],
    ['lines of CSV', `a\n${'\n'.repeat(9)}`, 'text/csv', 'too_many_rows'],
    ['cells of CSV', `${'a,'.repeat(20)}a\n`, 'text/csv', 'too_many_values'],
  ])('Refuses a body with too many %s', (_name, text, type, code) => {
    const limits = { rows: 8, values: 20 };
    expect(() => read(text, type, undefined, limits)).toThrow(expect.objectContaining({ code, status: 413 }));
  });

  test('Stops reading CSV at the first row too many', () => {
    const text = 'a\n'.repeat(2) + '"never closed';
    expect(() => parseCsv(text, { rows: 0, values: 20 })).toThrow(expect.objectContaining({ code: 'too_many_rows' }));
    expect(() => parseCsv(text)).toThrow(expect.objectContaining({ code: 'PGRST102' }));
  });

  test('Reads a quoted cell of megabytes', () => {
    const long = '""'.repeat(3_000_000);
    expect(parseCsv(`a\n"${long}"`)[0]?.['a']).toHaveLength(3_000_000);
  });

  test('Counts no brackets within strings as nesting', () => {
    expect(read(JSON.stringify({ a: `${'['.repeat(3000)}\\"` }))).toMatchObject({ keys: ['a'] });
  });

  test('Reads any table from CSV as it was written', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('a,b', '"', 'x\r\ny', ''));
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 4 }),
      );
    fc.assert(
      fc.property(table, (rows) => {
        const names = rows[0]?.map((_, at) => `c${at}`) ?? [];
        const text = [names, ...rows]
          .map((row) => row.map((value) => `"${value.replaceAll('"', '""')}"`).join(','))
          .join('\n');
        expect(parseCsv(text)).toEqual(
          rows.map((row) => Object.fromEntries(row.map((value, at) => [`c${at}`, value]))),
        );
      }),
    );
  });

  test('Reads an empty last cell of CSV, and refuses a broken quote and an empty text', () => {
    expect(parseCsv('a,b\n1,')).toEqual([{ a: '1', b: '' }]);
    expect(() => parseCsv('a\n"x')).toThrow(RestError);
    expect(() => parseCsv('')).toThrow(RestError);
  });
});
