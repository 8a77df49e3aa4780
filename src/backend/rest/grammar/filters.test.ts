import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from '../errors.ts';
import { isOperation, parseLogic, parseOperation } from './filters.ts';

describe('one filter', () => {
  test.each([
    ['eq.1', { kind: 'compare', operator: '=', value: '1' }],
    ['neq.a.b,c', { kind: 'compare', operator: '<>', value: 'a.b,c' }],
    ['gt.1', { kind: 'compare', operator: '>', value: '1' }],
    ['gte.1', { kind: 'compare', operator: '>=', value: '1' }],
    ['lt.1', { kind: 'compare', operator: '<', value: '1' }],
    ['lte.1', { kind: 'compare', operator: '<=', value: '1' }],
    ['like.*a*', { kind: 'compare', operator: 'like', value: '*a*' }],
    ['ilike(all).{a,b}', { kind: 'compare', operator: 'ilike', value: '{a,b}', quantifier: 'all' }],
    ['match.^a', { kind: 'compare', operator: '~', value: '^a' }],
    ['imatch.^a', { kind: 'compare', operator: '~*', value: '^a' }],
    ['eq(any).{1,2}', { kind: 'compare', operator: '=', value: '{1,2}', quantifier: 'any' }],
    ['cs.{a}', { kind: 'compare', operator: '@>', value: '{a}' }],
    ['cd.{a}', { kind: 'compare', operator: '<@', value: '{a}' }],
    ['ov.{a}', { kind: 'compare', operator: '&&', value: '{a}' }],
    ['sl.(1,2)', { kind: 'compare', operator: '<<', value: '(1,2)' }],
    ['sr.(1,2)', { kind: 'compare', operator: '>>', value: '(1,2)' }],
    ['nxr.(1,2)', { kind: 'compare', operator: '&<', value: '(1,2)' }],
    ['nxl.(1,2)', { kind: 'compare', operator: '&>', value: '(1,2)' }],
    ['adj.(1,2)', { kind: 'compare', operator: '-|-', value: '(1,2)' }],
    ['in.(1,"a,b","c\\"d",)', { kind: 'in', values: ['1', 'a,b', 'c"d', ''] }],
    ['in.()', { kind: 'in', values: [''] }],
    ['is.null', { kind: 'is', value: 'null' }],
    ['is.NOT_NULL', { kind: 'is', value: 'not null' }],
    ['is.true', { kind: 'is', value: 'true' }],
    ['is.false', { kind: 'is', value: 'false' }],
    ['is.unknown', { kind: 'is', value: 'unknown' }],
    ['isdistinct.x', { kind: 'distinct', value: 'x' }],
    ['fts.a', { kind: 'search', parser: 'to_tsquery', value: 'a' }],
    ['plfts(german).a b', { kind: 'search', parser: 'plainto_tsquery', language: 'german', value: 'a b' }],
    ['phfts.a', { kind: 'search', parser: 'phraseto_tsquery', value: 'a' }],
    ['wfts.a', { kind: 'search', parser: 'websearch_to_tsquery', value: 'a' }],
  ])('%s', (text, operation) => {
    const parsed = parseOperation(text);
    expect(JSON.parse(JSON.stringify(parsed))).toEqual({ negated: false, operation });
    expect(parseOperation(`not.${text}`).negated).toBe(true);
  });

  test.each([
    '',
    'x',
    'eq',
    'eqq.1',
    'eq(some).1',
    'neq(any).1',
    'is.nul',
    'is.null.',
    'in.1',
    'in.(1',
    'in.(1)x',
    'not.1',
  ])('%j is refused', (text) => {
    expect(() => parseOperation(text)).toThrow(RestError);
    expect(isOperation(text)).toBe(false);
  });

  test('Says where an error is and what was expected, as upstream does', () => {
    expect.assertions(2);
    try {
      parseOperation('1');
    } catch (error) {
      expect(String(error)).toContain('"failed to parse filter (1)" (line 1, column 1)');
      expect(error).toMatchObject({
        code: 'PGRST100',
        status: 400,
        details: 'unexpected "1" expecting "not" or operator (eq, gt, ...)',
      });
    }
  });
});

describe('trees', () => {
  const eq = (name: string, value: string, negated = false) => ({
    kind: 'filter',
    filter: { field: { name, path: [] }, negated, operation: { kind: 'compare', operator: '=', value } },
  });

  test.each([
    ['or(a.eq.1,b.eq.2)', { kind: 'or', negated: false, members: [eq('a', '1'), eq('b', '2')] }],
    [
      'and(a.eq.1, not.or( b.eq.2 , c.eq.3 ))',
      {
        kind: 'and',
        negated: false,
        members: [eq('a', '1'), { kind: 'or', negated: true, members: [eq('b', '2 '), eq('c', '3 ')] }],
      },
    ],
    ['not.and(a.not.eq.1)', { kind: 'and', negated: true, members: [eq('a', '1', true)] }],
    ['or(not.a.eq.1)', { kind: 'or', negated: false, members: [eq('a', '1', true)] }],
    ['or(not.eq.1)', { kind: 'or', negated: false, members: [eq('not', '1')] }],
    ['or(a.eq."x,y)",b.eq.{1,2})', { kind: 'or', negated: false, members: [eq('a', 'x,y)'), eq('b', '{1,2}')] }],
    ['or("a.b".eq.1)', { kind: 'or', negated: false, members: [eq('a.b', '1')] }],
  ])('%s', (text, tree) => {
    expect(JSON.parse(JSON.stringify(parseLogic(text)))).toEqual(tree);
  });

  test('Reads JSON paths', () => {
    expect(parseLogic('or(data->a->>b.eq.1,data->0.is.null)')).toMatchObject({
      members: [
        {
          filter: {
            field: {
              name: 'data',
              path: [
                { arrow: '->', key: 'a' },
                { arrow: '->>', key: 'b' },
              ],
            },
          },
        },
        { filter: { field: { name: 'data', path: [{ arrow: '->', index: 0 }] } } },
      ],
    });
  });

  test.each([
    'or()',
    'or(a.eq.1',
    'or(a)',
    'or[a.eq.1]',
    'or(a.eq.1)x',
    `${'and('.repeat(200)}a.eq.1${')'.repeat(200)}`,
  ])('%j is refused', (text) => expect(() => parseLogic(text)).toThrow(RestError));

  test('Reads any text or refuses it with a RestError', () => {
    const piece = fc.constantFrom(
      'or',
      'and',
      'not',
      '(',
      ')',
      ',',
      '.',
      'eq',
      'in',
      '"',
      '\\',
      '{',
      '}',
      'a',
      '->',
      '->>',
      '1',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        for (const parse of [parseLogic, parseOperation]) {
          try {
            parse(pieces.join(''));
          } catch (error) {
            expect(error).toBeInstanceOf(RestError);
          }
        }
      }),
    );
  });

  test('Reads any quoted value as it was written', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const quoted = `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
        expect(parseLogic(`or(a.eq.${quoted})`)).toMatchObject({ members: [{ filter: { operation: { value } } }] });
        expect(parseOperation(`in.(${quoted},x)`)).toMatchObject({ operation: { values: [value, 'x'] } });
      }),
    );
  });
});
