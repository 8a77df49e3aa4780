import { ambiguousRelationship, noRelationship } from '../errors.ts';
import { isEnd, type Catalog, type ForeignKey, type Relation } from './catalog.ts';
import { findRelationshipHint } from './hints.ts';

/** Joins rows of one relation to rows of another. */
export type Relationship = Readonly<{
  target: Relation;
  /** At most one row. */
  toOne: boolean;
  name: string;
  /** Pairs of columns: ours = theirs (the junction's, where there is one). */
  columns: readonly (readonly [ours: string, theirs: string])[];
  junction:
    | Readonly<{
        schema: string;
        name: string;
        /** Name of the key that refers to us; `name` refers to the target. */
        key: string;
        columns: readonly (readonly [junction: string, theirs: string])[];
      }>
    | undefined;
  cardinality: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many';
}>;

/** Finds the relationship of `select=name!hint(…)`. Throws PGRST200, PGRST201. */
export function findRelationship(
  catalog: Catalog,
  parent: Relation,
  name: string,
  hint: string | undefined,
): Relationship {
  const all = listRelationships(catalog, parent);
  const found = all.filter((one) =>
    one.target === parent ? isNamedWithin(one, name, hint) : isNamed(one, name, hint),
  );
  const [only, ...others] = found;
  if (only === undefined) {
    const targets = all.map(({ target }) => target.name);
    throw noRelationship(parent, name, hint, findRelationshipHint(catalog, parent, name, targets));
  }
  if (others.length > 0) throw createAmbiguousError(parent, name, found);
  return only;
}

/** A key within one relation joins both ways: the relation's name selects the children, the key's column the parent. */
function isNamedWithin(one: Relationship, name: string, hint: string | undefined): boolean {
  if (name === one.target.name && one.cardinality === 'one-to-many') {
    return hint === undefined || hint === getColumns(one)?.[1];
  }
  return hint === undefined && one.cardinality === 'many-to-one' && getColumns(one)?.[0] === name;
}

/** A resource is named by its relation; without a hint, the key or our only column in it will do. */
function isNamed(one: Relationship, name: string, hint: string | undefined): boolean {
  const isKey = (text: string): boolean => one.junction === undefined && one.name === text;
  if (hint === undefined) return name === one.target.name || isKey(name) || getColumns(one)?.[0] === name;
  const isHinted = isKey(hint) || getColumns(one)?.includes(hint) === true || one.junction?.name === hint;
  return name === one.target.name && isHinted;
}

/** Our column and theirs, of a key of one column. */
function getColumns({ junction, columns }: Relationship): readonly [ours: string, theirs: string] | undefined {
  return junction === undefined && columns.length === 1 ? columns[0] : undefined;
}

function createAmbiguousError(parent: Relation, name: string, found: readonly Relationship[]): Error {
  const details = found.map((one) => ({
    cardinality: one.cardinality,
    embedding: `${parent.name} with ${one.target.name}`,
    relationship: describeRelationship(parent, one),
  }));
  const hints = found.map((one) => `'${one.target.name}!${one.junction?.name ?? one.name}'`).join(', ');
  return ambiguousRelationship(parent.name, name, details, hints);
}

function describeRelationship(parent: Relation, { name, target, columns, junction }: Relationship): string {
  const list = (names: readonly string[]): string => `(${names.join(', ')})`;
  const ours = columns.map(([own]) => own);
  const theirs = columns.map(([, own]) => own);
  if (junction === undefined) return `${name} using ${parent.name}${list(ours)} and ${target.name}${list(theirs)}`;
  const links = list(junction.columns.map(([link]) => link));
  return `${junction.name} using ${junction.key}${list(theirs)} and ${name}${links}`;
}

function listRelationships(catalog: Catalog, parent: Relation): Relationship[] {
  const keys = catalog.foreignKeys(parent);
  return [
    ...keys.flatMap((key) => (isEnd(key.from, parent) ? followKey(catalog, key, 'to') : [])),
    ...keys.flatMap((key) => (isEnd(key.to, parent) ? followKey(catalog, key, 'from') : [])),
    ...keys.flatMap((key) => (isEnd(key.to, parent) ? listThroughJunction(catalog, key) : [])),
  ];
}

/** The relationship from one end of the key to `end`. */
function followKey(catalog: Catalog, key: ForeignKey, end: 'from' | 'to'): Relationship[] {
  const target = catalog.relation(key[end].schema, key[end].name);
  if (target === undefined) return [];
  const columns = pairColumns(key[end === 'to' ? 'from' : 'to'].columns, key[end].columns);
  const cardinality = key.unique ? 'one-to-one' : end === 'to' ? 'many-to-one' : 'one-to-many';
  return [{ target, toOne: end === 'to' || key.unique, name: key.name, columns, junction: undefined, cardinality }];
}

/** A junction refers to both sides with columns of its primary key. */
function listThroughJunction(catalog: Catalog, key: ForeignKey): Relationship[] {
  const junction = catalog.relation(key.from.schema, key.from.name);
  if (junction === undefined || !inPrimaryKey(junction, key)) return [];
  return catalog.foreignKeys(junction).flatMap((other): Relationship[] => {
    if (other.name === key.name || !isEnd(other.from, junction) || !inPrimaryKey(junction, other)) return [];
    const target = catalog.relation(other.to.schema, other.to.name);
    if (target === undefined) return [];
    return [
      {
        target,
        toOne: false,
        name: other.name,
        columns: pairColumns(key.to.columns, key.from.columns),
        junction: {
          schema: junction.schema,
          name: junction.name,
          key: key.name,
          columns: pairColumns(other.from.columns, other.to.columns),
        },
        cardinality: 'many-to-many',
      },
    ];
  });
}

function inPrimaryKey(relation: Relation, key: ForeignKey): boolean {
  return key.from.columns.every((column) => relation.primaryKey.includes(column));
}

function pairColumns(ours: readonly string[], theirs: readonly string[]): [string, string][] {
  return ours.map((name, at) => [name, theirs[at] ?? '']);
}
