import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RestError } from '../errors.ts';
import { parseOrder, parseQueryString } from './query-string.ts';
import { parseSelect } from './select.ts';

describe('select', () => {
  const field = (name: string, more: object = {}) => ({ kind: 'field', field: { name, path: [] }, ...more });
  const plain = (text: string): unknown => JSON.parse(JSON.stringify(parseSelect(text)));

  test.each([
    ['', []],
    ['*', [{ kind: 'all' }]],
    ['id, name', [field('id'), field('name')]],
    ['a:b', [field('b', { alias: 'a' })]],
    ['id::text', [field('id', { cast: 'text' })]],
    ['a:id::double precision', [field('id', { alias: 'a', cast: 'double precision' })]],
    ['"odd, name"', [field('odd, name')]],
    ['a-b,größe', [field('a-b'), field('größe')]],
    [
      'x:data->a->>0',
      [
        {
          kind: 'field',
          alias: 'x',
          field: {
            name: 'data',
            path: [
              { arrow: '->', key: 'a' },
              { arrow: '->>', index: 0 },
            ],
          },
        },
      ],
    ],
    ['data->>a::int', [{ kind: 'field', cast: 'int', field: { name: 'data', path: [{ arrow: '->>', key: 'a' }] } }]],
    ['r(*)', [{ kind: 'embed', name: 'r', inner: false, spread: false, items: [{ kind: 'all' }] }]],
    [
      'b:r!h!inner(id)',
      [{ kind: 'embed', name: 'r', alias: 'b', hint: 'h', inner: true, spread: false, items: [field('id')] }],
    ],
    ['...r(id)', [{ kind: 'embed', name: 'r', inner: false, spread: true, items: [field('id')] }]],
  ])('%s', (text, items) => expect(plain(text)).toEqual(items));

  test.each(['a,', 'a b:', 'r(', 'r(a', 'a)', '*a', 'a!h', '...a', 'a->', '(', 'a::', '%'])('%j is refused', (text) => {
    expect(() => parseSelect(text)).toThrow(expect.objectContaining({ code: 'PGRST100' }));
  });

  test.each(['count()', 'n:count()', 'price.sum()', 'x:price::int.max()'])(
    'Refuses the aggregate %s (PGRST123)',
    (text) => {
      expect(() => parseSelect(text)).toThrow(expect.objectContaining({ code: 'PGRST123', status: 400 }));
    },
  );
});

describe('order', () => {
  test.each([
    ['a', { field: { name: 'a', path: [] } }],
    ['a.desc', { direction: 'desc' }],
    ['a.asc.nullsfirst', { direction: 'asc', nulls: 'first' }],
    ['a.nullslast', { nulls: 'last' }],
    ['data->>b.desc', { field: { name: 'data', path: [{ arrow: '->>', key: 'b' }] }, direction: 'desc' }],
    ['author(name).desc', { relation: 'author', field: { name: 'name', path: [] }, direction: 'desc' }],
  ])('%s', (text, term) => expect(parseOrder(text)[0]).toMatchObject(term));

  test.each(['', 'a.up', 'a.desc.asc', 'a,', 'a.nullsfirst.desc', 'r(a'])('%j is refused', (text) => {
    expect(() => parseOrder(text)).toThrow(expect.objectContaining({ code: 'PGRST100' }));
  });
});

describe('query string', () => {
  test('Sorts parameters by their kind', () => {
    const query = parseQueryString(
      'select=id,r(x)&id=eq.1&r.x=gt.2&or=(a.eq.1,b.eq.2)&r.not.and=(c.eq.3)&order=id&r.order=x.desc' +
        '&limit=5&offset=2&r.limit=1&columns="a","b"&on_conflict=id',
      'relation',
    );
    expect(query.conditions.map(({ path, value }) => [path, value.kind])).toEqual([
      [[], 'filter'],
      [['r'], 'filter'],
      [[], 'or'],
      [['r'], 'and'],
    ]);
    expect(query.orders.map(({ path }) => path)).toEqual([[], ['r']]);
    expect(query.limits).toEqual([
      { path: [], value: 5 },
      { path: ['r'], value: 1 },
    ]);
    expect(query.offsets).toEqual([{ path: [], value: 2 }]);
    expect(query.columns).toEqual(['a', 'b']);
    expect(query.onConflict).toEqual(['id']);
  });

  test('Selects everything by default, reads a plus as a blank and ignores a limit that is not a number', () => {
    const query = parseQueryString('a=eq.x+y&limit=many', 'relation');
    expect(query.select).toEqual([{ kind: 'all' }]);
    expect(query.conditions).toMatchObject([{ value: { filter: { operation: { value: 'x y' } } } }]);
    expect(query.limits).toEqual([]);
  });

  test('Ignores parameters without an equals sign, not those without a value', () => {
    expect(parseQueryString('select&id=eq.1&foo&order&limit=1&&', 'relation')).toMatchObject({
      selected: false,
      conditions: [{ path: [] }],
      orders: [],
      limits: [{ value: 1 }],
    });
    expect(parseQueryString('debug&a=', 'function-read').args).toEqual([['a', '']]);
    expect(() => parseQueryString('foo=', 'relation')).toThrow(expect.objectContaining({ code: 'PGRST100' }));
  });

  test.each(['select="a%00b":id', 'id->>a%00b=eq.1', 'a=eq.%00', '%00=eq.1'])('Refuses a NUL: %s', (query) => {
    for (const kind of ['relation', 'function-read'] as const)
      expect(() => parseQueryString(query, kind)).toThrow(expect.objectContaining({ status: 400, code: '22021' }));
  });

  test('Takes parameters of GET /rpc that are not filters for arguments', () => {
    const query = parseQueryString('a=1&b=eq.2&c=x.y&limit=1', 'function-read');
    expect(query.args).toEqual([
      ['a', '1'],
      ['c', 'x.y'],
    ]);
    expect(query.conditions).toHaveLength(1);
  });

  test('Reads any query string or refuses it with a RestError', () => {
    const key = fc.oneof(
      fc.constantFrom('select', 'order', 'or', 'not.and', 'limit', 'offset', 'columns', 'on_conflict', 'a.b.or', 'id'),
      fc.string(),
    );
    const pairs = fc.array(fc.tuple(key, fc.oneof(fc.string(), fc.constantFrom('*', 'eq.1', '(a.eq.1)', 'a->b'))), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(pairs, fc.boolean(), (list, encoded) => {
        const text = list
          .map(([name, value]) =>
            encoded ? `${encodeURIComponent(name)}=${encodeURIComponent(value)}` : `${name}=${value}`,
          )
          .join('&');
        try {
          parseQueryString(text, 'relation');
        } catch (error) {
          expect(error).toBeInstanceOf(RestError);
        }
      }),
    );
  });
});
