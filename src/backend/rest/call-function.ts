import { badBody, maxAffectedNeedsRows } from './errors.ts';
import type { Catalog, Routine } from './catalog/catalog.ts';
import { planWithCatalog } from './catalog/catalog-cache.ts';
import { formatPage, readRange } from './read-relation.ts';
import { formatApplied } from './request/preferences.ts';
import type { Format } from './request/media.ts';
import {
  decodeText,
  MAX_VALUES,
  NO_LIMITS,
  parseJson,
  parseJsonPayload,
  parseMediaType,
  parsePairs,
} from './request/payload.ts';
import { formatContentRange, type Range } from './request/ranges.ts';
import { checkChanged, finishAnswer, run } from './run.ts';
import type { Answer, RestDeps, RestRequest } from './request.ts';
import { callSql, chooseRoutine, createResultSource, SCALAR, type Arguments } from './sql/call.ts';
import type { AnswerCaps } from './sql/caps.ts';
import { createParams, ident } from './sql/fragments.ts';
import { planRead } from './sql/plan.ts';
import { buildSelect, type SelectSql } from './sql/read.ts';
import { bodySql, NO_BODY, pageSql, statementSql } from './sql/statement.ts';

/**
 * POST, GET and HEAD of /rpc/<function> (supabase-contract §2.2). A read runs read-only, whatever the function does,
 * and so does a function that declares that it changes nothing.
 */
export async function callFunction(deps: RestDeps, request: RestRequest, name: string): Promise<Answer> {
  const reads = request.method !== 'POST';
  const args = reads ? ({ kind: 'query', pairs: request.query.args } as const) : parseBodyArguments(request);
  const range = readRange(deps, request);
  const planned = await planWithCatalog(deps.catalog, (catalog) => planCall(deps, catalog, request, name, args, range));
  if (limitsAffected(request) && !planned.routine.returns.set) throw maxAffectedNeedsRows();
  const result = await run(deps, request, {
    sql: planned.sql,
    params: planned.params,
    readOnly: reads || !planned.routine.volatile,
    large: planned.large,
    check: (rows) => checkChanged(request, rows),
  });
  if (planned.routine.returns.kind !== 'void') return formatPage(deps, request, range.offset, result, ['maxAffected']);
  const applied = formatApplied(request.preferences, ['maxAffected']);
  const total = result.total === null ? undefined : Number(result.total);
  const headers = {
    'Content-Range': formatContentRange(range.offset, Number(result.rowCount), total),
    ...(applied === undefined ? {} : { 'Preference-Applied': applied }),
  };
  return finishAnswer(request, result, { status: 204, headers, body: '' });
}

function planCall(
  { api }: RestDeps,
  catalog: Catalog,
  request: RestRequest,
  name: string,
  args: Arguments,
  range: Range,
) {
  const call = chooseRoutine(catalog, request.schema, name, args);
  const { routine } = call;
  const { returns } = routine;
  const params = createParams();
  const source = `pgrst_source as (${callSql(params, call, args)})`;
  const relation = returns.relation && catalog.relation(returns.relation.schema, returns.relation.name);
  // Single values have no columns to choose from.
  const query = returns.kind === 'composite' ? request.query : { ...request.query, select: ALL };
  const plan = planRead(catalog, query, createResultSource(routine), relation, range, api);
  const select = buildSelect(params, catalog, plan, `pgrst_source as ${ident(routine.name)}`, api);
  const counts = request.preferences.count !== undefined;
  // The author bounds a function's own rows; the caller chooses what is embedded in them.
  const large = plan.embeds.length > 0;
  const parts = {
    before: [source, ...(counts ? [`pgrst_all as (select 1 ${select.matching})`] : [])],
    ...resultPageSql(request, routine, select, large ? api : undefined),
    total: counts ? '(select count(*) from pgrst_all)' : undefined,
  };
  return { routine, sql: statementSql(parts, api.max_answer_bytes), params: params.values, large };
}

const ALL = [{ kind: 'all' as const }];

function resultPageSql(
  request: RestRequest,
  { returns }: Routine,
  select: SelectSql,
  caps: AnswerCaps | undefined,
): ReturnType<typeof pageSql> {
  const { format } = request;
  const shape: Format = !returns.set && format.kind === 'array' ? { ...format, kind: 'object' } : format;
  const paged = pageSql(select, shape, caps);
  if (request.method === 'HEAD' || returns.kind === 'void') return { ...paged, body: NO_BODY };
  return returns.kind === 'composite' ? paged : { page: select.page, body: bodySql(shape, SCALAR) };
}

function limitsAffected(request: RestRequest): boolean {
  return request.preferences.handling === 'strict' && request.preferences.maxAffected !== undefined;
}

const RAW: Readonly<Record<string, 'text' | 'xml' | 'bytea'>> = {
  'text/plain': 'text',
  'text/xml': 'xml',
  'application/octet-stream': 'bytea',
};

function parseBodyArguments(request: RestRequest): Arguments {
  const mediaType = parseMediaType(request.headers['content-type']);
  const raw = RAW[mediaType];
  if (raw === 'bytea') return { kind: 'raw', type: raw, value: request.body };
  if (raw !== undefined) return { kind: 'raw', type: raw, value: decodeText(request.body) };
  if (mediaType === 'application/x-www-form-urlencoded') {
    return { kind: 'query', pairs: [...parsePairs(decodeText(request.body))] };
  }
  if (mediaType !== 'application/json') throw badBody(`Content-Type not acceptable: ${mediaType}`);
  const text = decodeText(request.body);
  return parseJsonArguments(text.trim() === '' ? '{}' : text, request);
}

/** `columns=` takes any body as it is. Of a list of objects the first one counts. */
function parseJsonArguments(json: string, { query: { columns }, caller }: RestRequest): Arguments {
  const values = caller.role === 'service_role' ? Infinity : MAX_VALUES;
  if (columns === undefined) {
    const payload = parseJsonPayload(json, undefined, { ...NO_LIMITS, values });
    return { kind: 'json', json: payload.json, list: payload.kind === 'array', keys: payload.keys };
  }
  parseJson(json, values);
  return { kind: 'json', json, list: !json.trimStart().startsWith('{'), keys: columns };
}
