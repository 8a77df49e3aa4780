import { undefinedType } from '../errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Field } from '../grammar/scanner.ts';
import type { SelectItem } from '../grammar/select.ts';
import type { Range } from '../request/ranges.ts';
import { cappedSql, type AnswerCaps } from './caps.ts';
import { logicSql, orderSql } from './conditions.ts';
import { fieldSql, ident, getOutputName, qualified, type Params, type Source } from './fragments.ts';
import type { EmbedPlan, ReadPlan } from './plan.ts';

/**
 * A SELECT in three parts: `page` are the rows that go out, `documents` are the same rows as column `json` with their
 * number (embedded rows included) in `held`, `matching` are all rows that the conditions leave, for counting.
 */
export type SelectSql = Readonly<{ page: string; documents: string; matching: string }>;

/** `from` is SQL that yields the plan's rows under its alias; `extra` are further conditions. */
export function buildSelect(
  params: Params,
  catalog: Catalog,
  plan: ReadPlan,
  from: string,
  caps: AnswerCaps,
  extra: readonly string[] = [],
): SelectSql {
  const joins = plan.embeds.map((embed) => joinSql(params, catalog, plan, embed, caps));
  const embedded = new Map(plan.embeds.map((embed) => [embed.item.alias ?? embed.item.name, valueColumnSql(embed)]));
  const conditions = [...extra, ...plan.conditions.map((one) => logicSql(params, plan.source, embedded, one))];
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  const matching = `from ${from}${joins.join('')}${where}`;
  const list = plan.items
    .filter((item) => !isEmptyEmbed(item))
    .map((item) => itemSql(params, catalog, plan, item))
    .join(', ');
  const related = new Map(plan.embeds.map((embed) => [embed.item.alias ?? embed.item.name, createRowSource(embed)]));
  const order = orderSql(params, plan.source, related, plan.order);
  const clauses = `${matching}${order}${limitSql(params, plan.range)}`;
  const page = `select ${list} ${clauses}`;
  return { page, documents: documentsSql(plan, page, list, clauses), matching };
}

/** Where nothing is embedded, the rows themselves; else the document is made beside the numbers of embedded rows. */
function documentsSql(plan: ReadPlan, page: string, list: string, clauses: string): string {
  const embeds = plan.embeds.filter((embed) => !embed.item.spread);
  if (embeds.length === 0) return `select row_to_json(one.*) as json, 1 as held from (${page}) as one`;
  const held = embeds.map((embed) => ` + coalesce(${ident(embed.join)}.held, 0)`).join('');
  return `select (select row_to_json(one.*) from (select ${list}) as one) as json, 1${held} as held ${clauses}`;
}

function limitSql(params: Params, range: Range): string {
  const limit = range.limit === undefined ? '' : ` limit ${params.add(range.limit)}`;
  return range.offset === 0 ? limit : `${limit} offset ${params.add(range.offset)}`;
}

function itemSql(params: Params, catalog: Catalog, plan: ReadPlan, item: SelectItem): string {
  if (item.kind === 'all') return `${ident(plan.source.alias)}.*`;
  if (item.kind === 'field') {
    const value = isBareCount(plan.source, item.field)
      ? `${ident(plan.source.alias)}.${ident('count')}`
      : fieldSql(params, plan.source, item.field);
    const cast = item.cast === undefined ? value : `cast(${value} as ${typeSql(catalog, item.cast)})`;
    return `${cast} as ${ident(item.alias ?? getOutputName(item.field))}`;
  }
  const embed = plan.embeds.find((one) => one.item === item);
  if (embed === undefined) return 'null';
  if (item.spread) return `${ident(embed.join)}.*`;
  const value = embed.relationship.toOne ? valueColumnSql(embed) : `coalesce(${valueColumnSql(embed)}, '[]')`;
  return `${value} as ${ident(item.alias ?? item.name)}`;
}

/** `embedded()` joins without being shown. */
function isEmptyEmbed(item: SelectItem): boolean {
  return item.kind === 'embed' && item.items.length === 0;
}

/** PostgreSQL reads `alias.count` as `count(alias)` where there is no such column, and so does upstream. */
function isBareCount(source: Source, { name, path }: Field): boolean {
  return name === 'count' && path.length === 0 && !source.columns.has(name) && !source.computed.has(name);
}

function typeSql(catalog: Catalog, name: string): string {
  const type = catalog.type(name);
  if (type === undefined) throw undefinedType(name);
  return type;
}

function valueColumnSql(embed: EmbedPlan): string {
  return `${ident(embed.join)}.${ident('value')}`;
}

/** The source of an order by a column of an embedded resource of one row. */
function createRowSource(embed: EmbedPlan): Source | undefined {
  return embed.relationship.toOne ? { ...embed.source, alias: `${embed.join}_row` } : undefined;
}

function joinSql(params: Params, catalog: Catalog, parent: ReadPlan, embed: EmbedPlan, caps: AnswerCaps): string {
  const { relationship, item } = embed;
  const [from, conditions] = embeddedRowsSql(embed, parent.source);
  const select = buildSelect(params, catalog, embed, from, caps, conditions);
  const name = ident(embed.join);
  const kind = item.inner ? 'join' : 'left join';
  if (item.spread) return ` ${kind} lateral (${select.page}) as ${name} on true`;
  const condition = item.inner ? `${valueColumnSql(embed)} is not null` : 'true';
  const join = ` ${kind} lateral (${valueSql(embed, select, caps)}) as ${name} on ${condition}`;
  const orders = parent.order.some((term) => term.relation === (item.alias ?? item.name));
  return orders && relationship.toOne ? join + relatedRowSql(embed, parent.source) : join;
}

/** Column `value` holds the embedded rows, `held` their number. */
function valueSql(embed: EmbedPlan, select: SelectSql, caps: AnswerCaps): string {
  if (isEmptyEmbed(embed.item)) return `select true as value, 1 as held from (${select.page}) as one limit 1`;
  if (embed.relationship.toOne) return `select json as value, held from (${select.documents}) as one`;
  return `select json_agg(json) as value, sum(held) as held from (${cappedSql(select.documents, caps)}) as one`;
}

/** The related row itself, so that the parent can be ordered by it. */
function relatedRowSql(embed: EmbedPlan, parent: Source): string {
  const alias = ident(`${embed.join}_row`);
  const on = embed.relationship.columns.map(
    ([ours, theirs]) => `${alias}.${ident(theirs)} = ${ident(parent.alias)}.${ident(ours)}`,
  );
  return ` left join ${qualified(embed.relationship.target)} as ${alias} on ${on.join(' and ')}`;
}

function embeddedRowsSql(embed: EmbedPlan, parent: Source): [from: string, conditions: string[]] {
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
