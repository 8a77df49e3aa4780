import { expect, test } from 'vitest';
import { buildCatalog, describeKey, describeTable, getRelation, LIBRARY } from '#tests/support/rest-catalog.ts';
import { findRelationship } from './relationships.ts';

const catalog = await buildCatalog();

function find(parent: string, name: string, hint?: string) {
  const { target, columns, junction, toOne, cardinality } = findRelationship(
    catalog,
    getRelation(catalog, parent),
    name,
    hint,
  );
  return { target: target.name, columns, junction, toOne, cardinality };
}

test.each([
  ['books', 'authors', 'many-to-one', [['author_id', 'id']]],
  ['authors', 'books', 'one-to-many', [['id', 'author_id']]],
  ['covers', 'books', 'one-to-one', [['book_id', 'id']]],
  ['books', 'covers', 'one-to-one', [['id', 'book_id']]],
  ['shelf_books', 'shelves', 'many-to-one', [['shelf_id', 'id']]],
])('%s embeds %s: %s (contract §2.2)', (parent, name, cardinality, columns) => {
  const toOne = cardinality.endsWith('to-one');
  expect(find(parent, name)).toEqual({ target: name, columns, junction: undefined, toOne, cardinality });
});

test('Books reach shelves through the junction, by its own columns', () => {
  expect(find('books', 'shelves')).toEqual({
    target: 'shelves',
    columns: [['id', 'book_id']],
    junction: { schema: 'public', name: 'shelf_books', key: 'book', columns: [['shelf_id', 'id']] },
    toOne: false,
    cardinality: 'many-to-many',
  });
});

test.each([
  ['books', 'books_author', undefined, 'authors'],
  ['books', 'author_id', undefined, 'authors'],
  ['books', 'authors', 'author_id', 'authors'],
  ['books', 'authors', 'books_author', 'authors'],
  ['books', 'shelves', 'shelf_books', 'shelves'],
  ['authors', 'games', 'home', 'games'],
  ['authors', 'games', 'away_author', 'games'],
  ['books', 'authors', 'id', 'authors'],
  ['authors', 'books', 'id', 'books'],
  ['employees', 'employees', 'manager_id', 'employees'],
  ['covers', 'book_id', undefined, 'books'],
])('%s finds %s with the hint %s', (parent, name, hint, target) => {
  expect(find(parent, name, hint).target).toBe(target);
});

test('A hint chooses the columns of its key', () => {
  expect(find('authors', 'games', 'home').columns).toEqual([['id', 'home']]);
  expect(find('authors', 'games', 'away').columns).toEqual([['id', 'away']]);
});

test('Names a junction with both of its keys', async () => {
  const keys = [
    describeKey('first', 'games.home', 'authors.id'),
    describeKey('second', 'games.away', 'books.id'),
    describeKey('third', 'shelf_books.shelf_id', 'authors.id'),
    describeKey('fourth', 'shelf_books.book_id', 'books.id'),
  ];
  const relations = LIBRARY.relations.map((row) =>
    row['name'] === 'games' ? { ...row, primaryKey: ['home', 'away'] } : row,
  );
  const twice = await buildCatalog({ relations, foreignKeys: keys });
  expect(() => findRelationship(twice, getRelation(twice, 'authors'), 'books', undefined)).toThrow(
    expect.objectContaining({
      details: [
        'games using first(home) and second(away)',
        'shelf_books using third(shelf_id) and fourth(book_id)',
      ].map((relationship) => ({ cardinality: 'many-to-many', embedding: 'authors with books', relationship })),
      hint: expect.stringContaining("'books!games', 'books!shelf_books'"),
    }),
  );
});

test.each([
  ['authors', 'boks', undefined, "Perhaps you meant 'books' instead of 'boks'."],
  ['authors', 'zzzzz', undefined, null],
  ['authors', 'books', 'nonsense', null],
  ['books', 'author', undefined, "Perhaps you meant 'authors' instead of 'author'."],
  ['titles', 'books', undefined, "Perhaps you meant 'shelves' instead of 'titles'."],
  ['authors', 'b'.repeat(10_000), undefined, null],
])('%s with %.20s!%s hints %s', (parent, name, hint, expected) => {
  expect(() => find(parent, name, hint)).toThrow(expect.objectContaining({ code: 'PGRST200', hint: expected }));
});

test('A parent without relationships is taken for a similar one that has some', async () => {
  const more = await buildCatalog({
    ...LIBRARY,
    relations: [...LIBRARY.relations, describeTable('book', ['id integer'])],
  });
  expect(() => findRelationship(more, getRelation(more, 'book'), 'authors', undefined)).toThrow(
    expect.objectContaining({ hint: "Perhaps you meant 'books' instead of 'book'." }),
  );
});

test('Within one relation, its name leads to the children and the column to the parent', () => {
  expect(find('employees', 'employees')).toMatchObject({ cardinality: 'one-to-many', columns: [['id', 'manager_id']] });
  expect(find('employees', 'manager_id')).toMatchObject({
    cardinality: 'many-to-one',
    columns: [['manager_id', 'id']],
  });
});

test('Refuses two keys without a hint, and names both with the hints that choose (PGRST201)', () => {
  expect(() => find('authors', 'games')).toThrow(
    expect.objectContaining({
      status: 300,
      code: 'PGRST201',
      message: "Could not embed because more than one relationship was found for 'authors' and 'games'",
      details: [
        {
          cardinality: 'one-to-many',
          embedding: 'authors with games',
          relationship: 'home_author using authors(id) and games(home)',
        },
        {
          cardinality: 'one-to-many',
          embedding: 'authors with games',
          relationship: 'away_author using authors(id) and games(away)',
        },
      ],
      hint: expect.stringContaining("'games!home_author', 'games!away_author'"),
    }),
  );
});

test.each([
  ['authors', 'shelves', undefined, ''],
  ['books', 'authors', 'nonsense', " using the hint 'nonsense'"],
])('Refuses %s with %s!%s, which no key joins (PGRST200)', (parent, name, hint, using) => {
  expect(() => find(parent, name, hint)).toThrow(
    expect.objectContaining({
      status: 400,
      code: 'PGRST200',
      details:
        `Searched for a foreign key relationship between '${parent}' and '${name}'${using} in the schema 'public',` +
        ' but no matches were found.',
    }),
  );
});

test.each([['id'], ['book_id'], ['shelf_id']])(
  'A table with only %s in its primary key is no junction',
  async (key) => {
    const plain = await buildCatalog({
      ...LIBRARY,
      relations: LIBRARY.relations.map((row) => (row['name'] === 'shelf_books' ? { ...row, primaryKey: [key] } : row)),
    });
    expect(() => findRelationship(plain, getRelation(plain, 'books'), 'shelves', undefined)).toThrow(
      expect.objectContaining({ code: 'PGRST200' }),
    );
  },
);

test('Skips a key to a relation that is not exposed', async () => {
  const narrow = await buildCatalog({
    ...LIBRARY,
    foreignKeys: [...LIBRARY.foreignKeys, describeKey('hidden', 'books.id', 'secrets.id')],
  });
  expect(() => findRelationship(narrow, getRelation(narrow, 'books'), 'secrets', undefined)).toThrow(
    expect.objectContaining({ code: 'PGRST200' }),
  );
});

test('Pairs the columns of a key of several columns in their order', async () => {
  const paired = await buildCatalog({
    ...LIBRARY,
    foreignKeys: [describeKey('both', 'games.home,away', 'shelf_books.shelf_id,book_id')],
  });
  const found = findRelationship(paired, getRelation(paired, 'games'), 'shelf_books', undefined);
  expect(found.columns).toEqual([
    ['home', 'shelf_id'],
    ['away', 'book_id'],
  ]);
});
