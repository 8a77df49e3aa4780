import { embeddingRefused, notEmbedded, notImplemented } from '../errors.ts';
import type { Catalog, Relation } from '../catalog/catalog.ts';
import { findRelationship, type Relationship } from '../catalog/relationships.ts';
import type { Logic } from '../grammar/filters.ts';
import type { OrderTerm, QueryString } from '../grammar/query-string.ts';
import type { SelectItem } from '../grammar/select.ts';
import { capRange, findRange, type Range } from '../request/ranges.ts';
import type { Source } from './fragments.ts';

type EmbedItem = Extract<SelectItem, { kind: 'embed' }>;

/** One resource to be read, with those embedded in it. */
export type ReadPlan = Readonly<{
  source: Source;
  items: readonly SelectItem[];
  conditions: readonly Logic[];
  order: readonly OrderTerm[];
  range: Range;
  embeds: readonly EmbedPlan[];
}>;

export type EmbedPlan = ReadPlan &
  Readonly<{
    item: EmbedItem;
    /** Alias of the lateral join whose column `value` holds the rows. */
    join: string;
    relationship: Relationship;
  }>;

/** Limits on embedding in one request, by their keys in `[api]`. */
export type EmbedLimits = Readonly<{
  max_rows: number;
  max_embed_depth: number;
  max_embeds: number;
  max_embed_repeats: number;
}>;

/**
 * Resolves a query string against the catalogue. Embedding starts from `relation`; undefined for rows that belong to
 * none. Throws PGRST108, 200, 201 and embedding_refused.
 */
export function planRead(
  catalog: Catalog,
  query: QueryString,
  source: Source,
  relation: Relation | undefined,
  range: Range,
  limits: EmbedLimits,
): ReadPlan {
  const planning: Planning = { catalog, query: resolvePaths(query), limits, joins: 0, embeds: 0 };
  const above = relation === undefined ? [] : [relation];
  const plan: ReadPlan = { source, items: query.select, range, ...planLevel(planning, [], query.select, above) };
  refuseUnknownPaths(planning.query, plan);
  return plan;
}

/** A resource with an alias may be named by either; the alias is what the plan goes by. */
function resolvePaths(query: QueryString): QueryString {
  const resolve = <T extends { readonly path: readonly string[] }>(list: readonly T[]): readonly T[] =>
    list.map((one) => (one.path.length === 0 ? one : { ...one, path: resolvePath(query.select, one.path) }));
  return {
    ...query,
    conditions: resolve(query.conditions),
    orders: resolve(query.orders),
    limits: resolve(query.limits),
    offsets: resolve(query.offsets),
  };
}

function resolvePath(items: readonly SelectItem[], [first, ...rest]: readonly string[]): string[] {
  if (first === undefined) return [];
  const found = items
    .filter((item) => item.kind === 'embed')
    .find((item) => item.alias === first || item.name === first);
  return found === undefined ? [first, ...rest] : [found.alias ?? found.name, ...resolvePath(found.items, rest)];
}

type Planning = {
  readonly catalog: Catalog;
  readonly query: QueryString;
  readonly limits: EmbedLimits;
  joins: number;
  embeds: number;
};

/** Collects the conditions, order and embedded resources of the resource at `path`. */
function planLevel(
  planning: Planning,
  path: readonly string[],
  items: readonly SelectItem[],
  above: readonly Relation[],
) {
  const { conditions, orders } = planning.query;
  return {
    conditions: conditions.filter((one) => isSamePath(one.path, path)).map((one) => one.value),
    order: orders.findLast((one) => isSamePath(one.path, path))?.value ?? [],
    embeds: items.filter((item) => item.kind === 'embed').map((item) => planEmbed(planning, path, item, above)),
  };
}

/** `above`: the relations from the request's own to the one that `item` is embedded in. */
function planEmbed(
  planning: Planning,
  path: readonly string[],
  item: EmbedItem,
  above: readonly Relation[],
): EmbedPlan {
  const { catalog, query, limits } = planning;
  const parent = above.at(-1);
  if (parent === undefined) throw notImplemented('Embedding needs a relation to start from');
  const relationship = findRelationship(catalog, parent, item.name, item.hint);
  if (item.spread && !relationship.toOne) throw notImplemented('Spreading a to-many relationship');
  const { target } = relationship;
  checkEmbed(limits, (planning.embeds += 1), [...above, target]);
  const nextAlias = (name: string): string => `${name}_${(planning.joins += 1)}`;
  const own = [...path, item.alias ?? item.name];
  return {
    source: createSource(target, nextAlias(target.name)),
    items: item.items,
    range: capRange(findRange(query, own), limits.max_rows),
    item,
    join: nextAlias(`${target.name}_of`),
    relationship,
    ...planLevel(planning, own, item.items, [...above, target]),
  };
}

/** `way`: the relations from the request's own to the embedded one. */
function checkEmbed(limits: EmbedLimits, embeds: number, way: readonly Relation[]): void {
  const { max_embed_depth, max_embeds, max_embed_repeats } = limits;
  if (way.length - 1 > max_embed_depth)
    throw embeddingRefused(`Relations are embedded at most ${max_embed_depth} deep.`);
  if (embeds > max_embeds) throw embeddingRefused(`One request embeds at most ${max_embeds} relations.`);
  const target = way.at(-1);
  const repeats = way.filter((relation) => relation === target).length - 1;
  if (repeats > max_embed_repeats) {
    throw embeddingRefused(`'${target?.name}' comes again inside itself more than ${max_embed_repeats} times.`);
  }
}

export function createSource(relation: Relation, alias: string = relation.name): Source {
  return { alias, name: relation.name, columns: relation.columns, computed: relation.computed };
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at]);
}

/** Refuses conditions, orders and limits of a resource that is not embedded. */
function refuseUnknownPaths(query: QueryString, plan: ReadPlan): void {
  const known = new Set(listPaths(plan, []));
  for (const { path } of [...query.conditions, ...query.orders, ...query.limits, ...query.offsets]) {
    if (path.length > 0 && !known.has(path.join('.')))
      throw notEmbedded(path.find((_, at) => !known.has(path.slice(0, at + 1).join('.'))) ?? '');
  }
}

function listPaths(plan: ReadPlan, path: readonly string[]): string[] {
  return plan.embeds.flatMap((embed) => {
    const own = [...path, embed.item.alias ?? embed.item.name];
    return [own.join('.'), ...listPaths(embed, own)];
  });
}
