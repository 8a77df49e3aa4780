import { describe, expect, test } from 'vitest';
import { buildCatalog, describeRoutine, describeTable, getRelation } from '#tests/support/rest-catalog.ts';

describe('relations', () => {
  test.each([
    [0, { insert: false, update: false, delete: false }],
    [4, { insert: false, update: true, delete: false }],
    [8, { insert: true, update: false, delete: false }],
    [16, { insert: false, update: false, delete: true }],
    [28, { insert: true, update: true, delete: true }],
  ])('pg_relation_is_updatable() = %i is read as %j', async (accepts, expected) => {
    const catalog = await buildCatalog({ relations: [describeTable('t', ['id integer'], { accepts })] });
    expect(getRelation(catalog, 't').accepts).toEqual(expected);
  });

  test('Finds a relation by schema and name together, and keeps the order of its columns', async () => {
    const other = describeTable('t', ['b text'], { schema: 'other' });
    const catalog = await buildCatalog({ relations: [describeTable('t', ['z text', 'a text = 1']), other] });
    expect([...getRelation(catalog, 't').columns.keys()]).toEqual(['z', 'a']);
    expect(getRelation(catalog, 't').columns.get('a')).toEqual({ name: 'a', type: 'text', json: false, fallback: '1' });
    expect(catalog.relation('other', 't')?.columns.has('b')).toBe(true);
    expect(catalog.relation('public', 'o')).toBeUndefined();
    expect(catalog.relations('public').map(({ name }) => name)).toEqual(['t']);
  });

  test('A dot in a name does not make it another schema’s', async () => {
    const catalog = await buildCatalog({ relations: [describeTable('b', ['id integer'], { schema: 'a' })] });
    expect(catalog.relation('a.b', '')).toBeUndefined();
    expect(catalog.relation('', 'a.b')).toBeUndefined();
  });

  test('Refuses a document of another shape', async () => {
    await expect(buildCatalog({ relations: [{ name: 't' }] })).rejects.toThrow();
  });
});

describe('types that a caller may cast to', () => {
  const types = [
    { name: 'int4', sql: 'integer' },
    { name: 'float8', sql: 'double precision' },
    { name: 'Mood', sql: 'public."Mood"' },
  ];

  test.each([
    ['int4', 'integer'],
    ['integer', 'integer'],
    ['INT', 'integer'],
    ['int', 'integer'],
    ['float', 'double precision'],
    ['double precision', 'double precision'],
    ['decimal', 'numeric'],
    ['string', 'text'],
    ['Mood', 'public."Mood"'],
    ['mood', undefined],
    ['public."Mood"', undefined],
    ['int4; drop table t', undefined],
    ['', undefined],
  ])('%j is %s', async (name, sql) => expect((await buildCatalog({ types })).type(name)).toBe(sql));
});

describe('functions', () => {
  const read = async (name: string, parameters: readonly string[], more: Readonly<Record<string, unknown>> = {}) =>
    (await buildCatalog({ routines: [describeRoutine(name, parameters, more)] })).routines('public', name)[0];

  test('The last parameters have the defaults', async () => {
    const routine = await read('add', ['a integer', 'b integer', 'c integer'], { defaults: 2 });
    expect(routine?.parameters.map(({ name, required }) => [name, required])).toEqual([
      ['a', true],
      ['b', false],
      ['c', false],
    ]);
  });

  test('A variadic parameter may be left out', async () => {
    const routine = await read('sum', ['first integer', 'rest integer[]'], { variadic: true, argModes: ['i', 'v'] });
    expect(routine?.parameters).toEqual([
      { name: 'first', type: 'integer', required: true, variadic: false },
      { name: 'rest', type: 'integer[]', required: false, variadic: true },
    ]);
  });

  test('Outputs are columns of the result, not parameters; both ways is both', async () => {
    const routine = await read('split', ['a text', 'b json', 'c text', 'd integer'], {
      argModes: ['i', 'o', 'b', 't'],
      kind: 'composite',
    });
    expect(routine?.parameters.map(({ name }) => name)).toEqual(['a', 'c']);
    expect([...(routine?.returns.columns.values() ?? [])].map(({ name, json }) => [name, json])).toEqual([
      ['b', true],
      ['c', false],
      ['d', false],
    ]);
  });

  test('Names the relation whose rows it returns', async () => {
    const routine = await read('all', [], {
      kind: 'composite',
      set: true,
      relationSchema: 'public',
      relationName: 't',
    });
    expect(routine?.returns).toMatchObject({ kind: 'composite', set: true, relation: { schema: 'public', name: 't' } });
    expect((await read('one', []))?.returns).toMatchObject({ kind: 'scalar', relation: undefined });
  });

  test.each([
    [['json'], true],
    [['jsonb'], true],
    [['text'], true],
    [['xml'], true],
    [['bytea'], true],
    [['integer'], false],
    [['text', 'text'], false],
  ])('Unnamed parameters %j can be called: %s', async (types, callable) => {
    const routine = await read(
      'f',
      types.map((type) => ` ${type}`),
    );
    expect(routine !== undefined).toBe(callable);
  });

  test('A function with one unnamed among named parameters cannot be called', async () => {
    expect(await read('f', ['a text', ' text'])).toBeUndefined();
  });
});
