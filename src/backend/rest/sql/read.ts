import { undefinedType } from '../errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { SelectItem } from '../grammar/select.ts';
import type { Range } from '../request/ranges.ts';
import { logicSql, orderSql } from './conditions.ts';
import { fieldSql, ident, outputName, qualified, type Params, type Source } from './fragments.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';

/** A SELECT in two parts: `rows` goes out, `matching` are all rows the conditions leave (for counting). */
export type ReadSql = Readonly<{ rows: string; matching: string }>;

/** `from` is SQL that yields the plan's rows under its alias; `extra` are further conditions. */
export function readSql(
  params: Params,
  catalog: Catalog,
  plan: ReadPlan,
  from: string,
  extra: readonly string[] = [],
): ReadSql {
  const joins = plan.embeds.map((embed) => joinSql(params, catalog, plan, embed));
  const embedded = new Map(plan.embeds.map((embed) => [embed.item.alias ?? embed.item.name, presence(embed)]));
  const conditions = [...extra, ...plan.conditions.map((one) => logicSql(params, plan.source, embedded, one))];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const matching = `from ${from}${joins.join('')}${where}`;
  const list = plan.items.map((item) => itemSql(params, catalog, plan, item)).join(', ');
  const related = new Map(
    plan.embeds
      .filter((embed) => embed.relationship.toOne)
      .map((embed) => [embed.item.alias ?? embed.item.name, rowSource(embed)]),
  );
  const order = orderSql(params, plan.source, related, plan.order);
  return { rows: `select ${list} ${matching}${order}${limitSql(params, plan.range)}`, matching };
}

function limitSql(params: Params, range: Range): string {
  const limit = range.limit === undefined ? '' : ` limit ${params.add(range.limit)}`;
  return range.offset === 0 ? limit : `${limit} offset ${params.add(range.offset)}`;
}

function itemSql(params: Params, catalog: Catalog, plan: ReadPlan, item: SelectItem): string {
  if (item.kind === 'all') return `${ident(plan.source.alias)}.*`;
  if (item.kind === 'field') {
    const value = fieldSql(params, plan.source, item.field);
    const cast = item.cast === undefined ? value : `cast(${value} as ${typeSql(catalog, item.cast)})`;
    return `${cast} as ${ident(item.alias ?? outputName(item.field))}`;
  }
  const embed = plan.embeds.find((one) => one.item === item);
  if (embed === undefined) return 'null';
  if (item.spread) return `${ident(embed.join)}.*`;
  const value = embed.relationship.toOne ? presence(embed) : `coalesce(${presence(embed)}, '[]')`;
  return `${value} as ${ident(item.alias ?? item.name)}`;
}

function typeSql(catalog: Catalog, name: string): string {
  const type = catalog.type(name);
  if (type === undefined) throw undefinedType(name);
  return type;
}

function presence(embed: EmbedPlan): string {
  return `${ident(embed.join)}.${ident('value')}`;
}

/** What an order by an embedded resource's column refers to. */
function rowSource(embed: EmbedPlan): Source {
  return { ...embed.source, alias: `${embed.join}_row` };
}

function joinSql(params: Params, catalog: Catalog, parent: ReadPlan, embed: EmbedPlan): string {
  const { relationship, item } = embed;
  const rows = readSql(params, catalog, embed, ...rowsOf(embed, parent.source)).rows;
  const name = ident(embed.join);
  const kind = item.inner ? 'join' : 'left join';
  if (item.spread) return ` ${kind} lateral (${rows}) as ${name} on true`;
  const value = relationship.toOne ? 'row_to_json(one)' : 'json_agg(one)';
  const condition = item.inner ? `${presence(embed)} is not null` : 'true';
  const join = ` ${kind} lateral (select ${value} as value from (${rows}) as one) as ${name} on ${condition}`;
  const orders = parent.order.some((term) => term.relation === (item.alias ?? item.name));
  return orders && relationship.toOne ? join + relatedRow(embed, parent.source) : join;
}

/** The related row itself, so that the parent can be ordered by it. */
function relatedRow(embed: EmbedPlan, parent: Source): string {
  const alias = ident(`${embed.join}_row`);
  const on = embed.relationship.columns.map(
    ([ours, theirs]) => `${alias}.${ident(theirs)} = ${ident(parent.alias)}.${ident(ours)}`,
  );
  return ` left join ${qualified(embed.relationship.target)} as ${alias} on ${on.join(' and ')}`;
}

function rowsOf(embed: EmbedPlan, parent: Source): [from: string, conditions: string[]] {
  const { relationship, source } = embed;
  const own = ident(source.alias);
  const ours = ident(parent.alias);
  const target = `${qualified(relationship.target)} as ${own}`;
  if (relationship.junction === undefined) {
    return [target, relationship.columns.map(([mine, theirs]) => `${own}.${ident(theirs)} = ${ours}.${ident(mine)}`)];
  }
  const between = ident(`${embed.join}_via`);
  const on = relationship.junction.columns.map(
    ([link, theirs]) => `${between}.${ident(link)} = ${own}.${ident(theirs)}`,
  );
  return [
    `${target} join ${qualified(relationship.junction)} as ${between} on ${on.join(' and ')}`,
    relationship.columns.map(([mine, link]) => `${between}.${ident(link)} = ${ours}.${ident(mine)}`),
  ];
}
