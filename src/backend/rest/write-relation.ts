import type { Catalog, Relation } from './catalog/catalog.ts';
import { planWithCatalog } from './catalog/catalog-cache.ts';
import { putKeyMismatch, putNeedsKeyFilters, putWithLimit, tooManyRows } from './errors.ts';
import { requireRelation } from './read-relation.ts';
import {
  MAX_VALUES,
  NO_LIMITS,
  parseMediaType,
  readPayload,
  type Payload,
  type PayloadLimits,
} from './request/payload.ts';
import { formatApplied } from './request/preferences.ts';
import { formatContentRange } from './request/ranges.ts';
import { checkChanged, checkSingular, finishAnswer, run, type Statement } from './run.ts';
import type { Answer, RestDeps, RestRequest } from './request.ts';
import { logicSql } from './sql/conditions.ts';
import { mayBeLarge } from './sql/caps.ts';
import { createParams, fieldSql, ident, literal, type Params } from './sql/fragments.ts';
import { planRead, createSource, type ReadPlan } from './sql/plan.ts';
import { buildSelect } from './sql/read.ts';
import { NO_BODY, pageSql, statementSql, type Outcome } from './sql/statement.ts';
import {
  chooseConflictTarget,
  deleteSql,
  INSERTED_SQL,
  insertSql,
  listReturned,
  returningSql,
  updateSql,
  type Conflict,
  type Returned,
} from './sql/write.ts';

type Honoured = Parameters<typeof formatApplied>[1];

/** POST: insert or upsert (supabase-contract §2.2). */
export async function insertRows(deps: RestDeps, request: RestRequest, name: string): Promise<Answer> {
  const payload = parsePayload(deps, request);
  const { rows } = getLimits(deps, request.caller);
  if (payload.rows > rows) throw tooManyRows(rows);
  const { resolution } = request.preferences;
  let honoured: Honoured = ['missing', 'return'];
  const statement = await planWithCatalog(deps.catalog, (catalog) => {
    const relation = requireRelation(catalog, request.schema, name);
    const target = chooseConflictTarget(relation, request.query.onConflict);
    if (target.length > 0) honoured = ['resolution', 'missing', 'return'];
    const conflict: Conflict | undefined =
      resolution === undefined
        ? undefined
        : { target, resolution: resolution === 'merge-duplicates' ? 'merge' : 'ignore' };
    return writeStatement(deps, catalog, request, relation, (params, returning) =>
      insertSql(params, relation, {
        payload,
        defaults: request.preferences.missing === 'default',
        conflict,
        conditions: [],
        counts: countsBySetting(request, relation),
        returning,
      }),
    );
  });
  const outcome = await run(deps, request, { ...statement, check: (written) => checkSingular(request, written) });
  const onlyMerged = resolution === 'merge-duplicates' && outcome.inserted !== null && Number(outcome.inserted) === 0;
  const range = formatContentRange(0, 0, getCount(request, outcome));
  const location = outcome.location === null ? {} : { Location: formatLocation(name, outcome.location) };
  return formatWritten(request, outcome, onlyMerged ? 200 : 201, honoured, { 'Content-Range': range, ...location });
}

/** PATCH. */
export async function updateRows(deps: RestDeps, request: RestRequest, name: string): Promise<Answer> {
  const payload = parsePayload(deps, request);
  const statement = await planWithCatalog(deps.catalog, (catalog) => {
    const relation = requireRelation(catalog, request.schema, name);
    return writeStatement(deps, catalog, request, relation, (params, returning) => {
      const defaults = request.preferences.missing === 'default';
      return updateSql(params, relation, { payload, defaults, where: whereSql(params, request, relation), returning });
    });
  });
  const outcome = await run(deps, request, { ...statement, check: (rows) => checkChanged(request, rows) });
  const range = formatContentRange(0, Number(outcome.rowCount), getCount(request, outcome));
  return formatWritten(request, outcome, changedStatus(request), ['missing', 'return', 'maxAffected'], {
    'Content-Range': range,
  });
}

/** DELETE. */
export async function deleteRows(deps: RestDeps, request: RestRequest, name: string): Promise<Answer> {
  const statement = await planWithCatalog(deps.catalog, (catalog) => {
    const relation = requireRelation(catalog, request.schema, name);
    return writeStatement(deps, catalog, request, relation, (params, returning) =>
      deleteSql(relation, whereSql(params, request, relation), returning),
    );
  });
  const outcome = await run(deps, request, { ...statement, check: (rows) => checkChanged(request, rows) });
  const range = formatContentRange(0, 0, getCount(request, outcome));
  return formatWritten(request, outcome, changedStatus(request), ['return', 'maxAffected'], { 'Content-Range': range });
}

/** PUT: upserts the row that the address names. Throws PGRST105, 114, 115. */
export async function putRow(deps: RestDeps, request: RestRequest, name: string): Promise<Answer> {
  if (request.query.limits.length + request.query.offsets.length > 0) throw putWithLimit();
  const payload = parsePayload(deps, request);
  const statement = await planWithCatalog(deps.catalog, (catalog) => {
    const relation = requireRelation(catalog, request.schema, name);
    const keys = parseKeyFilters(request, relation);
    return writeStatement(deps, catalog, request, relation, (params, returning) =>
      insertSql(params, relation, {
        payload,
        defaults: request.preferences.missing === 'default',
        conflict: { target: relation.primaryKey, resolution: 'merge' },
        conditions: keys.map(([key, value]) => {
          const body = { alias: 'body', name: relation.name, columns: relation.columns, computed: new Set<string>() };
          return payload.keys.includes(key)
            ? `${fieldSql(params, body, { name: key, path: [] })} = ${params.add(value)}`
            : 'false';
        }),
        counts: countsBySetting(request, relation),
        returning,
      }),
    );
  });
  const check = (rows: number): void => {
    if (rows !== 1) throw putKeyMismatch();
  };
  const outcome = await run(deps, request, { ...statement, check });
  const status = Number(outcome.inserted ?? 0) > 0 ? 201 : 200;
  return formatWritten(request, outcome, wantsRows(request) ? status : 204, ['return'], {});
}

function parseKeyFilters(request: RestRequest, relation: Relation): (readonly [key: string, value: string])[] {
  const found = request.query.conditions.map(({ path, value: logic }): readonly [string, string] => {
    if (path.length > 0 || logic.kind !== 'filter') throw putNeedsKeyFilters();
    const { field, negated, operation } = logic.filter;
    const plain = operation.kind === 'compare' && operation.operator === '=' && operation.quantifier === undefined;
    if (negated || !plain || field.path.length > 0) throw putNeedsKeyFilters();
    return [field.name, operation.value];
  });
  const names = new Set(found.map(([name]) => name));
  const all = names.size === relation.primaryKey.length && relation.primaryKey.every((key) => names.has(key));
  if (!all || names.size === 0) throw putNeedsKeyFilters();
  return found;
}

function parsePayload(deps: RestDeps, request: RestRequest): Payload {
  const mediaType = parseMediaType(request.headers['content-type']);
  return readPayload(request.body, mediaType, request.query.columns, getLimits(deps, request.caller));
}

/** Programs of the operator bring as much as they like. */
function getLimits({ api }: RestDeps, { role }: RestRequest['caller']): PayloadLimits {
  return role === 'service_role' ? NO_LIMITS : { rows: api.max_insert_rows, values: MAX_VALUES };
}

function wantsRows(request: RestRequest): boolean {
  return request.preferences.return === 'representation';
}

function changedStatus(request: RestRequest): number {
  return wantsRows(request) ? 200 : 204;
}

function getCount(request: RestRequest, outcome: Outcome): number | undefined {
  const { count } = request.preferences;
  return count === 'exact' || count === 'estimated' ? Number(outcome.rowCount) : undefined;
}

function whereSql(params: Params, request: RestRequest, relation: Relation): string {
  const own = request.query.conditions.filter(({ path }) => path.length === 0);
  if (own.length === 0) return '';
  return ` where ${own.map(({ value }) => logicSql(params, createSource(relation), new Map(), value)).join(' and ')}`;
}

/** Builds the write as a common table expression, and the SELECT of the rows that it returns. */
function writeStatement(
  { api }: RestDeps,
  catalog: Catalog,
  request: RestRequest,
  relation: Relation,
  write: (params: Params, returning: string) => string,
): Omit<Statement, 'check'> {
  const params = createParams();
  const plan = wantsRows(request) ? planReturned(api, catalog, request, relation) : undefined;
  const keys = request.preferences.return === 'headers-only' && request.method === 'POST' ? relation.primaryKey : [];
  const returned = listReturned(relation, plan, keys);
  const counts = relation.kind === 'table' && mayMerge(request);
  const sql = write(params, counts ? countingReturning(relation, returned) : returningSql(relation, returned));
  const source = counts && returned.all ? unpackRowSql(returned) : 'pgrst_source';
  const from = `${source} as ${ident(relation.name)}`;
  // POST answers the rows of its payload, which are no larger than the request.
  const large = plan !== undefined && (plan.embeds.length > 0 || (request.method !== 'POST' && mayBeLarge(plan)));
  const parts = {
    before: [`pgrst_source as (${sql})`],
    ...(plan === undefined
      ? { page: 'select 1 from pgrst_source', body: NO_BODY }
      : pageSql(buildSelect(params, catalog, plan, from, api), request.format, large ? api : undefined)),
    rowCount: '(select count(*) from pgrst_source)',
    inserted: countInsertedSql(request, relation),
    location: keys.length === 0 ? undefined : locationSql(keys),
  };
  return {
    sql: statementSql(parts, api.max_answer_bytes),
    params: params.values,
    readOnly: false,
    large: plan !== undefined && plan.embeds.length > 0,
  };
}

function mayMerge(request: RestRequest): boolean {
  return (
    request.method === 'PUT' || (request.method === 'POST' && request.preferences.resolution === 'merge-duplicates')
  );
}

function countsBySetting(request: RestRequest, { kind }: Relation): boolean {
  return kind === 'view' && mayMerge(request);
}

function countInsertedSql(request: RestRequest, { kind }: Relation): string | undefined {
  if (!mayMerge(request)) return undefined;
  return kind === 'view' ? INSERTED_SQL : '(select count(*) filter (where pgrst_inserted) from pgrst_source)';
}

/** A row without a deleting transaction is new; one that was merged has the mark of its older version. */
function countingReturning(relation: Relation, returned: Returned): string {
  return `${returningSql(relation, returned, 'pgrst_row')}, (${ident(relation.name)}.xmax = 0) as pgrst_inserted`;
}

/** Unpacks the row, which is returned as one value so that the marker does not become one of its columns. */
function unpackRowSql(returned: Returned): string {
  return `(select ${['(pgrst_row).*', ...returned.names.map(ident)].join(', ')} from pgrst_source)`;
}

/** Leaves out the filters, which choose the rows to write and not those to show. */
function planReturned(api: RestDeps['api'], catalog: Catalog, request: RestRequest, relation: Relation): ReadPlan {
  const query = { ...request.query, conditions: request.query.conditions.filter(({ path }) => path.length > 0) };
  return planRead(catalog, query, createSource(relation), relation, { offset: 0, limit: undefined }, api);
}

/** Only the address of a single row is sent. */
function locationSql(keys: readonly string[]): string {
  const pairs = keys.map((key) => `${literal(key)}, ${ident(key)}::text`);
  const single = '(select count(*) from pgrst_source) = 1';
  return `(select json_build_object(${pairs.join(', ')}) from pgrst_source where ${single})`;
}

function formatLocation(name: string, key: Readonly<Record<string, string | null>>): string {
  const filters = Object.entries(key).map(([column, value]) => {
    return `${encodeURIComponent(column)}=${encodeURIComponent(value === null ? 'is.null' : `eq.${value}`)}`;
  });
  return `/${encodeURIComponent(name)}?${filters.join('&')}`;
}

function formatWritten(
  request: RestRequest,
  outcome: Outcome,
  status: number,
  honoured: Honoured,
  headers: Readonly<Record<string, string>>,
): Answer {
  const applied = formatApplied(request.preferences, honoured);
  return finishAnswer(request, outcome, {
    status,
    headers: {
      ...headers,
      ...(wantsRows(request) ? { 'Content-Type': request.format.contentType } : {}),
      ...(applied === undefined ? {} : { 'Preference-Applied': applied }),
    },
    body: wantsRows(request) ? (outcome.body ?? '') : '',
  });
}
