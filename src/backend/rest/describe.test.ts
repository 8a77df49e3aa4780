import { describe, expect, test } from 'vitest';
import { createCatalogDatabase, describeKey, describeRoutine, describeTable } from '#tests/support/rest-catalog.ts';
import { readCatalog } from './catalog/read-catalog.ts';
import { describeSchema } from './describe.ts';

const OWN = { comment: null, required: false, maxLength: null, labels: [] };
const RELATION = describeTable('t', ['id integer', 'u integer']);

type Given = Partial<Parameters<typeof createCatalogDatabase>[0]> & { comment?: string; columns?: object[] };

/** The document of a schema with the table `t`, whose columns are as PostgreSQL describes them. */
async function describeTableT({ comment, columns = [], ...catalog }: Given) {
  const relations = [RELATION, describeTable('u', ['id integer'])];
  const details = {
    comment: comment ?? null,
    relations: { t: { comment: null, columns: columns.map((column) => ({ ...OWN, ...column })) } },
    routines: { add: 'Adds\n\ntwo numbers' },
  };
  const database = createCatalogDatabase({ relations, ...catalog }, details);
  const current = () => readCatalog(database, ['public'], []);
  const request = { method: 'GET', schema: 'public', caller: { role: 'service_role' }, format: { contentType: '' } };
  return JSON.parse((await describeSchema({ database, catalog: { current } } as never, request as never)).body);
}

const describeColumn = async (type: string, fallback: string | null = null) => {
  const column = { name: 'c', type, json: false, fallback };
  const relations = [{ ...RELATION, columns: [column] }];
  return (await describeTableT({ relations, columns: [{ name: 'c', type }] })).definitions.t.properties.c;
};

describe('columns', () => {
  test.each([
    ['smallint', { type: 'integer', format: 'int32' }],
    ['bigint', { type: 'integer', format: 'int64' }],
    ['numeric', { type: 'number', format: 'numeric' }],
    ['boolean', { type: 'boolean', format: 'boolean' }],
    ['date', { type: 'string', format: 'date' }],
    ['json', { format: 'json' }],
    ['integer[]', { type: 'array', format: 'integer[]', items: { type: 'integer' } }],
    ['jsonb[]', { type: 'array', format: 'jsonb[]', items: {} }],
  ])('%s is %j', async (type, expected) => expect(await describeColumn(type)).toEqual(expected));

  test.each([
    ['text', "'a'::text", 'a'],
    ['text', "''::text", ''],
    ['timestamp with time zone', 'now()', 'now()'],
    ['integer', '7', 7],
    ['boolean', 'false', false],
    ['integer', "nextval('s'::regclass)", undefined],
    ['jsonb', "'{}'::jsonb", undefined],
    ['text', `'"'::text`, undefined],
    ['text', null, undefined],
  ])('The default of %s %s is %s', async (type, fallback, expected) => {
    expect((await describeColumn(type, fallback)).default).toBe(expected);
  });

  test('A comment stands before the notes of keys', async () => {
    const columns = [{ name: 'u', type: 'integer', comment: 'Of u' }];
    const { definitions } = await describeTableT({ columns, foreignKeys: [describeKey('k', 't.u', 'u.id')] });
    expect(definitions.t.properties.u.description).toBe(
      "Of u\n\nNote:\nThis is a Foreign Key to `u.id`.<fk table='u' column='id'/>",
    );
  });

  test('A key of several columns has no note of a foreign key', async () => {
    const columns = [{ name: 'u', type: 'integer' }];
    const { definitions } = await describeTableT({ columns, foreignKeys: [describeKey('k', 't.u,id', 'u.id,id')] });
    expect(definitions.t.properties.u.description).toBeUndefined();
  });
});

test('A relation made since the catalogue was read is left out until it is read again', async () => {
  expect(Object.keys((await describeTableT({})).definitions)).toEqual(['t']);
});

test('A relation that takes no writes has no methods for them', async () => {
  const { paths } = await describeTableT({ relations: [{ ...RELATION, accepts: 0 }] });
  expect(Object.keys(paths['/t'])).toEqual(['get']);
});

test('The comment on the schema gives the title and the description', async () => {
  expect((await describeTableT({ comment: 'Shop\nof books' })).info).toMatchObject({
    title: 'Shop',
    description: 'of books',
  });
});

test('A function has its arguments as parameters, a variadic one is repeated', async () => {
  const more = { volatile: false, argModes: ['i', 'v'] };
  const routines = [describeRoutine('add', ['a integer[]', 'b integer[]'], more)];
  const { get, post } = (await describeTableT({ routines })).paths['/rpc/add'];
  expect(get).toMatchObject({ summary: 'Adds', description: 'two numbers' });
  expect(get.parameters).toEqual([
    { name: 'a', in: 'query', required: true, type: 'string', format: 'integer[]' },
    {
      name: 'b',
      in: 'query',
      required: false,
      type: 'array',
      collectionFormat: 'multi',
      items: { type: 'integer', format: 'int32' },
    },
  ]);
  expect(post.parameters[0].schema.required).toEqual(['a']);
});
