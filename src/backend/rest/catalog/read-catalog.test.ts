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

describe('primary keys of views', () => {
  const TABLE = 100;
  /** `columns` are the oid and the column that each one shows, 0 for an expression; `inner` is a query within. */
  const rule = (columns: readonly (readonly [oid: number, column: number])[], inner = ''): string => {
    const entries = columns.map(
      ([oid, column], at) =>
        `{TARGETENTRY :expr {VAR :varno 1 :vartype 23 :resno 9} :resno ${at + 1} :resname a\\ \\{${at}` +
        ` :ressortgroupref 0 :resorigtbl ${oid} :resorigcol ${column} :resjunk false}`,
    );
    const from = `:rtable ({RANGETBLENTRY :alias <> :rtekind 1 :subquery ${inner === '' ? '<>' : inner} :lateral false})`;
    return `({QUERY :commandType 1 ${from} :targetList (${entries.join(' ')}) :override 0})`;
  };
  const read = async (rules: readonly string[], key: readonly number[] = [1]) => {
    const views = rules.map((text, at) => ({ oid: 200 + at, schema: 'public', name: `v${at}`, rule: text }));
    const relations = views.map(({ name }) =>
      describeTable(name, ['x integer', 'y integer', 'z integer'], { kind: 'view', primaryKey: [] }),
    );
    const catalog = await buildCatalog({ relations, views, keys: [{ oid: TABLE, columns: [...key] }] });
    return views.map(({ name }) => getRelation(catalog, name).primaryKey);
  };
  const plain = rule([
    [TABLE, 2],
    [TABLE, 1],
    [0, 0],
  ]);

  test('The column that shows the key of a table is the key', async () => expect(await read([plain])).toEqual([['y']]));

  test('The key of several columns keeps its order', async () => {
    expect(await read([plain], [1, 2])).toEqual([['y', 'x']]);
  });

  test('A part of a key is none', async () => expect(await read([plain], [1, 3])).toEqual([[]]));

  test('A view of a view shows the key of the table', async () => {
    const above = rule([
      [0, 0],
      [0, 0],
      [200, 2],
    ]);
    expect(await read([plain, above])).toEqual([['y'], ['z']]);
  });

  test('A column shown twice counts once', async () => {
    const twice = rule([
      [TABLE, 1],
      [TABLE, 1],
    ]);
    expect(await read([twice])).toEqual([['x']]);
  });

  test('The columns of a query within are not those of the view', async () => {
    const inner = plain.slice(1, -1);
    expect(await read([rule([[0, 0]], inner)])).toEqual([[]]);
  });

  test('Rules that lead to each other end', async () => {
    expect(await read([rule([[201, 1]]), rule([[200, 1]])])).toEqual([[], []]);
  });

  test('A rule of another form has no key', async () => expect(await read(['<>', '))', '{'])).toEqual([[], [], []]));
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
