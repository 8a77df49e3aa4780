import type { Database } from '#backend/database/index.ts';
import type { Catalog, Relation } from '#backend/rest/catalog/catalog.ts';
import { DETAILS_SQL } from '#backend/rest/catalog/catalog-sql.ts';
import { readCatalog } from '#backend/rest/catalog/read-catalog.ts';

type Row = Readonly<Record<string, unknown>>;

export type CatalogDocument = Readonly<{
  relations: Row[];
  foreignKeys: Row[];
  routines: Row[];
  types: Row[];
  views: Row[];
  keys: Row[];
}>;

const UPDATE = 4;
const INSERT = 8;
const DELETE = 16;

/** A row of the catalogue as PostgreSQL answers it; `columns` are `name type`, with `= default` where there is one. */
export function describeTable(name: string, columns: readonly string[], more: Row = {}): Row {
  return {
    schema: 'public',
    name,
    kind: 'table',
    columns: columns.map(describeColumn),
    computed: [],
    primaryKey: ['id'],
    accepts: UPDATE + INSERT + DELETE,
    ...more,
  };
}

function describeColumn(text: string): Row {
  const [declared = '', fallback = null] = text.split(' = ');
  const [name = '', ...type] = declared.split(' ');
  return { name, type: type.join(' '), json: type[0] === 'json' || type[0] === 'jsonb', fallback };
}

export function describeKey(name: string, from: string, to: string, more: Row = {}): Row {
  const end = (text: string): Row => {
    const [table = '', columns = ''] = text.split('.');
    return { schema: 'public', name: table, columns: columns.split(',') };
  };
  return { name, from: end(from), to: end(to), unique: false, ...more };
}

/** `parameters` are `name type`; the last ones may have defaults. */
export function describeRoutine(name: string, parameters: readonly string[], more: Row = {}): Row {
  const parsed = parameters.map((text) => text.split(' '));
  return {
    schema: 'public',
    name,
    volatile: true,
    set: false,
    defaults: 0,
    variadic: false,
    argNames: parsed.map(([argument = '']) => argument),
    argModes: null,
    argTypes: parsed.map(([, ...type]) => type.join(' ')),
    kind: 'scalar',
    columns: null,
    relationSchema: null,
    relationName: null,
    ...more,
  };
}

const EMPTY: CatalogDocument = { relations: [], foreignKeys: [], routines: [], types: [], views: [], keys: [] };

/** Authors write books; books stand on shelves; an employee has a manager. */
export const LIBRARY: CatalogDocument = {
  relations: [
    describeTable('authors', ['id integer = 7', 'name text', 'born date'], { computed: ['full_name'] }),
    describeTable('books', ['id integer', 'title text', 'author_id integer', 'data jsonb', 'words tsvector']),
    describeTable('shelves', ['id integer', 'label text']),
    describeTable('shelf_books', ['shelf_id integer', 'book_id integer'], { primaryKey: ['shelf_id', 'book_id'] }),
    describeTable('covers', ['book_id integer', 'picture text'], { primaryKey: ['book_id'] }),
    describeTable('games', ['id integer', 'home integer', 'away integer']),
    describeTable('employees', ['id integer', 'manager_id integer']),
    describeTable('odd "name"', ['id integer', 'a"b text', 'count bigint']),
    describeTable('titles', ['title text'], { kind: 'view', primaryKey: [], accepts: 0 }),
  ],
  foreignKeys: [
    describeKey('books_author', 'books.author_id', 'authors.id'),
    describeKey('shelf', 'shelf_books.shelf_id', 'shelves.id'),
    describeKey('book', 'shelf_books.book_id', 'books.id'),
    describeKey('cover', 'covers.book_id', 'books.id', { unique: true }),
    describeKey('home_author', 'games.home', 'authors.id'),
    describeKey('away_author', 'games.away', 'authors.id'),
    describeKey('manager', 'employees.manager_id', 'employees.id'),
  ],
  routines: [],
  views: [],
  keys: [],
  types: [
    { name: 'int4', sql: 'integer' },
    { name: 'text', sql: 'text' },
    { name: 'mood', sql: 'public.mood' },
  ],
};

/** Answers the catalogue's query, and that of the description: no columns, unless `details` has some. */
export function createCatalogDatabase(document: Partial<CatalogDocument>, details?: object): Database {
  const catalog = JSON.stringify({ ...EMPTY, ...document });
  const plain = document.relations?.map(({ name }) => [String(name), { comment: null, columns: [] }] as const) ?? [];
  const described = details ?? { comment: null, relations: Object.fromEntries(plain), routines: {} };
  const query = async (sql: string): Promise<never> => {
    const rows = [{ document: sql === DETAILS_SQL ? described : catalog }];
    return { rows, command: '', rowCount: 1, oid: 0, fields: [] } as never;
  };
  return {
    asOwner: (work) => work({ query }),
    asCaller: () => Promise.reject(new Error('only the catalogue is read')),
    ping: async () => undefined,
    close: async () => undefined,
  };
}

export function buildCatalog(document: Partial<CatalogDocument> = LIBRARY): Promise<Catalog> {
  return readCatalog(createCatalogDatabase(document), ['public'], []);
}

export function getRelation(catalog: Catalog, name: string): Relation {
  const relation = catalog.relation('public', name);
  if (relation === undefined) throw new Error(`no relation ${name}`);
  return relation;
}
