import { ambiguousRelationship, noRelationship } from '../errors.ts';
import type { Catalog, ForeignKey, Relation } from './catalog.ts';

/** Joins rows of one relation to rows of another. */
export type Relationship = Readonly<{
  target: Relation;
  /** At most one row. */
  toOne: boolean;
  name: string;
  /** Pairs of columns: ours = theirs (the junction's, where there is one). */
  columns: readonly (readonly [ours: string, theirs: string])[];
  junction:
    | Readonly<{ schema: string; name: string; columns: readonly (readonly [junction: string, theirs: string])[] }>
    | undefined;
  /** Columns of the key that a hint may name. */
  via: readonly string[];
  cardinality: 'many-to-one' | 'one-to-many' | 'one-to-one' | 'many-to-many';
}>;

/** Finds the relationship of `select=name!hint(…)`. Throws PGRST200, PGRST201. */
export function findRelationship(
  catalog: Catalog,
  parent: Relation,
  name: string,
  hint: string | undefined,
): Relationship {
  const named = listRelationships(catalog, parent).filter((one) => isNamed(one, name));
  const found = hint === undefined ? named : named.filter((one) => isHinted(one, hint));
  const [only, ...others] = found;
  if (only === undefined) throw noRelationship(parent.name, name, parent.schema, hint);
  if (others.length === 0) return only;
  const children = findChildren(parent, found);
  if (children === undefined) throw createAmbiguousError(parent, name, found);
  return children;
}

/** A key within one relation joins both ways: the relation's name selects the children, the key's column the parent. */
function findChildren(parent: Relation, found: readonly Relationship[]): Relationship | undefined {
  const [key] = found;
  const isOneKey = found.length === 2 && found.every((one) => one.target === parent && one.name === key?.name);
  return isOneKey ? found.find((one) => one.cardinality === 'one-to-many') : undefined;
}

function isNamed(one: Relationship, name: string): boolean {
  if (one.target.name === name || one.name === name) return true;
  return one.cardinality === 'many-to-one' && one.via.length === 1 && one.via[0] === name;
}

function isHinted(one: Relationship, hint: string): boolean {
  return (
    one.name === hint ||
    one.junction?.name === hint ||
    one.target.name === hint ||
    (one.via.length === 1 && one.via[0] === hint)
  );
}

function createAmbiguousError(parent: Relation, name: string, found: readonly Relationship[]): Error {
  const details = found.map((one) => ({
    cardinality: one.cardinality,
    embedding: `${parent.name} with ${one.target.name}`,
    relationship: `${one.junction?.name ?? one.name} using ${one.name}(${one.via.join(', ')})`,
  }));
  const hints = found.map((one) => `'${name}!${one.junction?.name ?? one.name}'`).join(', ');
  return ambiguousRelationship(parent.name, name, details, hints);
}

function listRelationships(catalog: Catalog, parent: Relation): Relationship[] {
  const keys = catalog.foreignKeys(parent);
  return [
    ...keys.flatMap((key) => (isEnd(key.from, parent) ? createOutgoing(catalog, key) : [])),
    ...keys.flatMap((key) => (isEnd(key.to, parent) ? createIncoming(catalog, key) : [])),
    ...keys.flatMap((key) => (isEnd(key.to, parent) ? listThroughJunction(catalog, key) : [])),
  ];
}

function isEnd(end: ForeignKey['from'], relation: Relation): boolean {
  return end.schema === relation.schema && end.name === relation.name;
}

function createOutgoing(catalog: Catalog, key: ForeignKey): Relationship[] {
  const target = catalog.relation(key.to.schema, key.to.name);
  if (target === undefined) return [];
  const columns = pairColumns(key.from.columns, key.to.columns);
  const cardinality = key.unique ? 'one-to-one' : 'many-to-one';
  return [{ target, toOne: true, name: key.name, columns, junction: undefined, via: key.from.columns, cardinality }];
}

function createIncoming(catalog: Catalog, key: ForeignKey): Relationship[] {
  const target = catalog.relation(key.from.schema, key.from.name);
  if (target === undefined) return [];
  const columns = pairColumns(key.to.columns, key.from.columns);
  const cardinality = key.unique ? 'one-to-one' : 'one-to-many';
  return [
    { target, toOne: key.unique, name: key.name, columns, junction: undefined, via: key.from.columns, cardinality },
  ];
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
          columns: pairColumns(other.from.columns, other.to.columns),
        },
        via: other.from.columns,
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
