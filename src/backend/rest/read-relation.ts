import { tableNotInCache } from './catalog/hints.ts';
import { formatApplied } from './request/preferences.ts';
import { capRange, formatContentRange, getRangeStatus, parseRange, type Range } from './request/ranges.ts';
import { checkSingular, finishAnswer, run, type Result, type Statement } from './run.ts';
import type { Answer, RestDeps, RestRequest } from './request.ts';
import type { Catalog, Relation } from './catalog/catalog.ts';
import { planWithCatalog } from './catalog/catalog-cache.ts';
import { mayBeLarge } from './sql/caps.ts';
import { createParams, ident, qualified } from './sql/fragments.ts';
import { planRead, createSource } from './sql/plan.ts';
import { buildSelect, type SelectSql } from './sql/read.ts';
import { NO_BODY, pageSql, statementSql } from './sql/statement.ts';

/** GET and HEAD of a table or view (supabase-contract §2.2). */
export async function readRelation(deps: RestDeps, request: RestRequest, name: string): Promise<Answer> {
  const range = readRange(deps, request);
  const result = await run(deps, request, {
    ...(await planWithCatalog(deps.catalog, (catalog) => {
      const relation = requireRelation(catalog, request.schema, name);
      const params = createParams();
      const plan = planRead(catalog, request.query, createSource(relation), relation, range, deps.api);
      const from = `${qualified(relation)} as ${ident(relation.name)}`;
      const large = mayBeLarge(plan, relation);
      return buildStatement(deps, request, params.values, buildSelect(params, catalog, plan, from, deps.api), large);
    })),
    readOnly: true,
    check: (rows) => checkSingular(request, rows),
  });
  return formatPage(deps, request, range.offset, result);
}

/** The rows that the request asks for, within the server's own cap. Throws PGRST103. */
export function readRange({ api }: RestDeps, { method, query, headers }: RestRequest): Range {
  return capRange(parseRange(query, method === 'GET' ? headers.range : undefined), api.max_rows);
}

/** Throws PGRST205. */
export function requireRelation(catalog: Catalog, schema: string, name: string): Relation {
  const relation = catalog.relation(schema, name);
  if (relation === undefined) throw tableNotInCache(catalog, schema, name);
  return relation;
}

function buildStatement(
  deps: RestDeps,
  request: RestRequest,
  params: readonly unknown[],
  select: SelectSql,
  large: boolean,
): Pick<Statement, 'sql' | 'params' | 'planned' | 'large'> {
  const asked = request.preferences.count;
  // The planner's statistics know rows that row-level security hides from this caller.
  const count = asked === undefined || request.caller.role === 'service_role' ? asked : 'exact';
  const all = `select 1 ${select.matching}`;
  // An estimate needs to know no more than whether there are more rows than go out at most.
  const counted = count === 'estimated' ? `${all} limit ${deps.api.max_rows + 1}` : all;
  const { page, body } = pageSql(select, request.format, large ? deps.api : undefined);
  const parts = {
    before: count === 'exact' || count === 'estimated' ? [`pgrst_all as (${counted})`] : [],
    page,
    body: request.method === 'HEAD' ? NO_BODY : body,
    total: count === 'exact' || count === 'estimated' ? '(select count(*) from pgrst_all)' : undefined,
  };
  const sql = statementSql(parts, deps.api.max_answer_bytes);
  const planned = count === 'planned' || count === 'estimated' ? buildPlannedQuery(all, params) : undefined;
  return { sql, params, planned, large };
}

/** Only the conditions: parameters they do not use (page, select) are left out and the rest renumbered. */
function buildPlannedQuery(sql: string, params: readonly unknown[]): NonNullable<Statement['planned']> {
  const used: unknown[] = [];
  const numbers = new Map<string, string>();
  const renumbered = sql.replaceAll(/"(?:[^"]|"")*"|\$(\d+)/g, (whole, number: string | undefined) => {
    if (number === undefined) return whole;
    const known = numbers.get(number) ?? `$${used.push(params[Number(number) - 1])}`;
    numbers.set(number, known);
    return known;
  });
  return { sql: renumbered, params: used };
}

/** Formats a page of rows, those of a function too. Throws PGRST103. */
export function formatPage(
  deps: RestDeps,
  request: RestRequest,
  offset: number,
  result: Result,
  honoured: Parameters<typeof formatApplied>[1] = [],
): Answer {
  const rows = Number(result.rowCount);
  const total = getTotal(deps, request, result);
  const applied = formatApplied(request.preferences, honoured);
  return finishAnswer(request, result, {
    status: getRangeStatus(offset, rows, total),
    headers: {
      'Content-Type': request.format.contentType,
      'Content-Range': formatContentRange(offset, rows, total),
      ...(applied === undefined ? {} : { 'Preference-Applied': applied }),
    },
    body: result.body ?? '',
  });
}

function getTotal(deps: RestDeps, request: RestRequest, result: Result): number | undefined {
  const counted = result.total === null ? undefined : Number(result.total);
  if (request.preferences.count === 'planned') return result.plannedRows ?? counted;
  if (request.preferences.count !== 'estimated' || counted === undefined) return counted;
  return counted > deps.api.max_rows ? Math.max(counted, result.plannedRows ?? 0) : counted;
}
