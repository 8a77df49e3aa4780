import { embeddingRefused, notEmbedded, notImplemented } from '../errors.ts';
import type { Catalog, Relation } from '../catalog/catalog.ts';
import { findRelationship, type Relationship } from '../catalog/relationships.ts';
import type { Logic } from '../grammar/filters.ts';
import type { OrderTerm } from '../grammar/order.ts';
import type { QueryString } from '../grammar/query-string.ts';
import type { SelectItem } from '../grammar/select.ts';
import { capped, rangeAt, type Range } from '../request/ranges.ts';
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

/** What one request may embed; the keys of `[api]`. */
export type EmbedLimits = Readonly<{
  max_rows: number;
  max_embed_depth: number;
  max_embeds: number;
  max_embed_repeats: number;
}>;

/**
 * Resolves what a query string says against the catalogue. `relation` is what may be followed to other relations;
 * undefined for rows that belong to none. Throws PGRST108, 200, 201 and embedding_refused.
 */
export function planRead(
  catalog: Catalog,
  query: QueryString,
  source: Source,
  relation: Relation | undefined,
  range: Range,
  limits: EmbedLimits,
): ReadPlan {
  let joins = 0;
  let embeds = 0;
  const nextAlias = (name: string): string => `${name}_${(joins += 1)}`;

  function level(path: readonly string[], items: readonly SelectItem[], above: readonly Relation[]): Rest {
    return {
      conditions: query.conditions.filter((one) => same(one.path, path)).map((one) => one.value),
      order: query.orders.findLast((one) => same(one.path, path))?.value ?? [],
      embeds: items.filter((item) => item.kind === 'embed').map((item) => embed(path, item, above)),
    };
  }

  /** `above`: the relations from the request's own to the one that `item` is embedded in. */
  function embed(path: readonly string[], item: EmbedItem, above: readonly Relation[]): EmbedPlan {
    const parent = above.at(-1);
    if (parent === undefined) throw notImplemented('Embedding needs a relation to start from');
    const relationship = findRelationship(catalog, parent, item.name, item.hint);
    if (item.spread && !relationship.toOne) throw notImplemented('Spreading a to-many relationship');
    const { target } = relationship;
    checkEmbed(limits, (embeds += 1), [...above, target]);
    const own = [...path, item.alias ?? item.name];
    return {
      source: sourceOf(target, nextAlias(target.name)),
      items: item.items,
      range: capped(rangeAt(query, own), limits.max_rows),
      item,
      join: nextAlias(`${target.name}_of`),
      relationship,
      ...level(own, item.items, [...above, target]),
    };
  }

  const plan: ReadPlan = {
    source,
    items: query.select,
    range,
    ...level([], query.select, relation === undefined ? [] : [relation]),
  };
  refuseStrangers(query, plan);
  return plan;
}

/** `way` leads from the request's relation to the embedded one. */
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

type Rest = Pick<ReadPlan, 'conditions' | 'order' | 'embeds'>;

export function sourceOf(relation: Relation, alias: string = relation.name): Source {
  return { alias, name: relation.name, columns: relation.columns, computed: relation.computed };
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, at) => part === b[at]);
}

/** Something said about a resource that is not embedded. */
function refuseStrangers(query: QueryString, plan: ReadPlan): void {
  const known = new Set(pathsOf(plan, []));
  for (const { path } of [...query.conditions, ...query.orders, ...query.limits, ...query.offsets]) {
    if (path.length > 0 && !known.has(path.join('.')))
      throw notEmbedded(path.find((_, at) => !known.has(path.slice(0, at + 1).join('.'))) ?? '');
  }
}

function pathsOf(plan: ReadPlan, path: readonly string[]): string[] {
  return plan.embeds.flatMap((embed) => {
    const own = [...path, embed.item.alias ?? embed.item.name];
    return [own.join('.'), ...pathsOf(embed, own)];
  });
}
