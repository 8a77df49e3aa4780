import { parseJson } from '#lib/parse-json.ts';
import type { CallerContext, Tx } from '../database/index.ts';
import { toRestError } from './convert-error.ts';
import { answerTooLarge, badResponseHeaders, badResponseStatus, notSingular, tooManyAffected } from './errors.ts';
import type { Logic, Operation } from './grammar/filters.ts';
import type { Answer, RestDeps, RestRequest } from './request.ts';
import { capExceeded } from './sql/caps.ts';
import type { Outcome } from './sql/statement.ts';

export type Statement = Readonly<{
  sql: string;
  params: readonly unknown[];
  readOnly: boolean;
  /** The answer may be large: few of them run at the same time. */
  large: boolean;
  /** Throws to roll the transaction back. */
  check?: (rowCount: number, outcome: Outcome) => void;
  /** Query whose plan estimates the number of rows. */
  planned?: Readonly<{ sql: string; params: readonly unknown[] }> | undefined;
}>;

export type Result = Outcome & Readonly<{ plannedRows: number | undefined }>;

/** One transaction in the caller's name (supabase-contract §2.2). Throws RestError. */
export async function run(deps: RestDeps, request: RestRequest, statement: Statement): Promise<Result> {
  const context = createCallerContext(deps, request, statement.readOnly);
  const caller = getCallerName(request);
  const work = async (): Promise<Result> => {
    const result = await (mustRollBack(deps, request)
      ? executeAndUndo(deps, request, context, statement)
      : deps.database.asCaller(context, (tx) => execute(deps, request, tx, statement)));
    request.afterAnswer(deps.limit.hold(caller, Buffer.byteLength(result.body ?? '')));
    return result;
  };
  try {
    return await deps.limit.run({ caller, large: statement.large || mayTakeLong(request) }, work);
  } catch (thrown) {
    const error = capExceeded(thrown, deps.api) ?? toRestError(thrown, request.caller.role !== 'anon');
    if (error.cause !== undefined && OUT_OF_DATE.has(error.code)) deps.catalog.reloadInBackground();
    throw error;
  }
}

// PostgreSQL's codes for a schema that is not the known one.
const OUT_OF_DATE = new Set(['42P01', '42P10', '42P13', '42703', '42704', '42804', '42883', '0A000']);

/** One caller is a user or a network. The service key is the operator's own. */
function getCallerName({ caller, network }: RestRequest): string | undefined {
  if (caller.role === 'service_role') return undefined;
  const { sub } = caller.claims;
  return typeof sub === 'string' ? `user:${sub}` : `network:${network}`;
}

async function execute(deps: RestDeps, request: RestRequest, tx: Tx, statement: Statement): Promise<Result> {
  const endsTransaction = statement.planned === undefined && !mustRollBack(deps, request);
  const answer = await tx.query<Outcome>(statement.sql, statement.params, { prepare: true, endsTransaction });
  const outcome = answer.rows[0];
  if (outcome === undefined) throw new Error('the statement answered without a row');
  if (Number(outcome.bytes ?? 0) > deps.api.max_answer_bytes)
    throw answerTooLarge(`${deps.api.max_answer_bytes} bytes`);
  statement.check?.(Number(outcome.rowCount), outcome);
  return { ...outcome, plannedRows: await readPlannedRows(tx, statement.planned) };
}

async function readPlannedRows(tx: Tx, query: Statement['planned']): Promise<number | undefined> {
  if (query === undefined) return undefined;
  const answer = await tx.query<{ 'QUERY PLAN': readonly { Plan: { 'Plan Rows': number } }[] }>(
    `explain (format json) ${query.sql}`,
    query.params,
  );
  return answer.rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'];
}

/** Thrown to undo a transaction after its outcome was read. */
class Undo extends Error {
  readonly result: Result;
  constructor(result: Result) {
    super('rolled back as asked');
    this.result = result;
  }
}

async function executeAndUndo(
  deps: RestDeps,
  request: RestRequest,
  context: CallerContext,
  statement: Statement,
): Promise<Result> {
  try {
    return await deps.database.asCaller(context, async (tx) => {
      const result = await execute(deps, request, tx, statement);
      await tx.query('set constraints all immediate');
      throw new Undo(result);
    });
  } catch (error) {
    if (error instanceof Undo) return error.result;
    throw error;
  }
}

function mustRollBack(deps: RestDeps, request: RestRequest): boolean {
  const { tx } = request.preferences;
  return deps.api.tx_end.startsWith('rollback') ? tx !== 'commit' : tx === 'rollback';
}

function createCallerContext(deps: RestDeps, request: RestRequest, readOnly: boolean): CallerContext {
  const { timezone } = request.preferences;
  return {
    role: request.caller.role,
    claims: request.caller.claims,
    method: request.method,
    path: request.path,
    headers: buildRequestHeaders(request),
    readOnly,
    searchPath: [...new Set([request.schema, ...deps.api.extra_search_path])],
    ...(timezone === undefined ? {} : { settings: { timezone } }),
  };
}

/** Replaces forwarded addresses by the one that this server determined, because callers can forge them. */
function buildRequestHeaders({ headers, address }: RestRequest): CallerContext['headers'] {
  const { 'cf-connecting-ip': _claimed, ...others } = headers;
  return { ...others, 'x-forwarded-for': address ?? 'unknown' };
}

/** Throws PGRST116 where the request wants one object and there is another number of rows. */
export function checkSingular(request: RestRequest, rows: number): void {
  if (request.format.kind === 'object' && rows !== 1) throw notSingular(rows);
}

/** Throws PGRST116 and 124. */
export function checkChanged(request: RestRequest, rows: number): void {
  checkSingular(request, rows);
  const { handling, maxAffected } = request.preferences;
  if (handling === 'strict' && maxAffected !== undefined && rows > maxAffected) throw tooManyAffected(rows);
}

/** Adds the status and headers that the database set (`response.status`, `response.headers`). Throws PGRST111, 112. */
export function finishAnswer(request: RestRequest, outcome: Outcome, answer: Answer): Answer {
  const status = outcome.status === null ? answer.status : parseStatus(outcome.status);
  const headers = outcome.headers === null ? {} : parseHeaders(outcome.headers);
  const hasType = 'Content-Type' in answer.headers;
  const profile = request.negotiated && hasType ? { 'Content-Profile': request.schema } : {};
  return { status, headers: { ...answer.headers, ...profile, ...headers }, body: answer.body };
}

function parseStatus(text: string): number {
  if (!/^[2-5]\d\d$/.test(text)) throw badResponseStatus();
  return Number(text);
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\u0020-\u007E\u0080-\u00FF]*$/;

function parseHeaders(text: string): Record<string, string> {
  const list = parseJson(text);
  if (!Array.isArray(list)) throw badResponseHeaders();
  const entries = list.flatMap((item: unknown) => {
    const pairs = typeof item === 'object' && item !== null ? Object.entries(item) : [];
    if (pairs.length !== 1) throw badResponseHeaders();
    return pairs;
  });
  return Object.fromEntries(
    entries.map(([name, value]: [string, unknown]) => {
      if (typeof value !== 'string' || !HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) throw badResponseHeaders();
      return [name, value];
    }),
  );
}

const FEW_FILTERS = 20;
const SMALL_BODY = 256 * 1024;
const PATTERNS: ReadonlySet<string> = new Set(['like', 'ilike', '~', '~*']);

/**
 * Whether a request may keep the database busy for long, whatever it answers: it searches texts, has many filters, or
 * brings a large body.
 */
export function mayTakeLong({ query, body }: Pick<RestRequest, 'query' | 'body'>): boolean {
  if (body.length > SMALL_BODY) return true;
  const operations = query.conditions.flatMap(({ value }) => listOperations(value));
  return operations.length > FEW_FILTERS || operations.some(searchesText);
}

function listOperations(logic: Logic): readonly Operation[] {
  return logic.kind === 'filter' ? [logic.filter.operation] : logic.members.flatMap(listOperations);
}

function searchesText(operation: Operation): boolean {
  return operation.kind === 'search' || (operation.kind === 'compare' && PATTERNS.has(operation.operator));
}
