import { unexpectedNul } from '../errors.ts';
import { type Field, readField, readFieldName, readFieldNames, readJsonPath, Scanner } from './scanner.ts';
import { isOperation, type Logic, parseLogic, parseOperation } from './filters.ts';
import { parseSelect, type SelectItem } from './select.ts';

export type OrderTerm = Readonly<{
  field: Field;
  /** `rel(column)`: by a column of an embedded to-one relation. */
  relation: string | undefined;
  direction: 'asc' | 'desc' | undefined;
  nulls: 'first' | 'last' | undefined;
}>;

const DIRECTION = /\.(asc|desc)(?=[.,]|$)/y;
const NULLS = /\.nulls(first|last)(?=,|$)/y;

/** `a.desc.nullslast,data->>b`. */
export function parseOrder(text: string): OrderTerm[] {
  const scanner = new Scanner(text, 'order');
  const terms: OrderTerm[] = [];
  do terms.push(readTerm(scanner));
  while (scanner.take(','));
  scanner.end();
  return terms;
}

function readTerm(scanner: Scanner): OrderTerm {
  const first = readField(scanner);
  const inner = first.path.length === 0 && scanner.take('(') ? readField(scanner) : undefined;
  if (inner !== undefined) scanner.expect(')');
  const direction = scanner.match(DIRECTION)?.[1];
  const nulls = scanner.match(NULLS)?.[1];
  scanner.skipBlanks();
  if (!scanner.isDone && !scanner.sees(','))
    throw scanner.createError('"," or "asc", "desc", "nullsfirst", "nullslast"');
  return {
    field: inner ?? first,
    relation: inner === undefined ? undefined : first.name,
    direction: direction === 'asc' || direction === 'desc' ? direction : undefined,
    nulls: nulls === 'first' || nulls === 'last' ? nulls : undefined,
  };
}

/** A value for the request's own resource (`path` empty) or for one embedded in it. */
type At<T> = Readonly<{ path: readonly string[]; value: T }>;

export type QueryString = Readonly<{
  /** Undefined where the request has no `select`: everything. */
  select: readonly SelectItem[];
  /** Whether the request has a `select`. */
  selected: boolean;
  conditions: readonly At<Logic>[];
  orders: readonly At<readonly OrderTerm[]>[];
  limits: readonly At<number>[];
  offsets: readonly At<number>[];
  columns: readonly string[] | undefined;
  onConflict: readonly string[] | undefined;
  /** Arguments of GET /rpc: parameters that are no filters, in their order. */
  args: readonly (readonly [name: string, value: string])[];
}>;

const EMBEDDABLE = new Set(['order', 'limit', 'offset', 'and', 'or']);
const RESERVED = new Set(['select', 'columns', 'on_conflict']);

/**
 * Reads the part of the address after `?` (supabase-contract §2.1). 'function-read': parameters whose value is no
 * filter are arguments. Throws RestError PGRST100, and 22021 for a NUL.
 */
export function parseQueryString(text: string, kind: 'relation' | 'function-read'): QueryString {
  const all = [...new URLSearchParams(dropBareNames(text))];
  // A NUL in a name would break off the statement, which PostgreSQL reports as a broken connection.
  if (all.flat().join('').includes('\0')) throw unexpectedNul();
  const first = (name: string): string | undefined => all.find(([key]) => key === name)?.[1];
  const ending = (...words: string[]) => all.filter(([key]) => !RESERVED.has(key) && words.includes(lastWord(key)));
  const others = all.filter(([key]) => !RESERVED.has(key) && !EMBEDDABLE.has(lastWord(key)));
  const isArg = ([key, value]: readonly [string, string]): boolean =>
    kind === 'function-read' && !key.includes('.') && !isOperation(value);
  const select = first('select');
  return {
    // An empty list of columns is all of them, as upstream has it.
    select: parseSelect(select === undefined || select === '' ? '*' : select),
    selected: select !== undefined,
    conditions: [
      ...others.filter((pair) => !isArg(pair)).map(([key, value]) => parseFilterAt(key, value)),
      ...ending('and', 'or').map(([key, value]) => parseLogicAt(key, value)),
    ],
    orders: ending('order')
      .filter(([, value]) => value !== '')
      .map(([key, value]) => ({ path: parseEmbedPath(key), value: parseOrder(value) })),
    limits: ending('limit').flatMap(([key, value]) => parseNumberAt(key, value)),
    offsets: ending('offset').flatMap(([key, value]) => parseNumberAt(key, value)),
    columns: parseNames(first('columns'), 'columns parameter'),
    onConflict: parseNames(first('on_conflict'), 'on_conflict parameter'),
    args: others.filter(isArg),
  };
}

/** Ignores a parameter without an equals sign, as upstream: `?id=eq.1&debug`. */
function dropBareNames(text: string): string {
  const pairs = text.split('&');
  return pairs.filter((pair) => pair.includes('=')).join('&');
}

function lastWord(key: string): string {
  return key.slice(key.lastIndexOf('.') + 1);
}

function parseNames(text: string | undefined, what: string): string[] | undefined {
  return text === undefined || text === '' ? undefined : readFieldNames(new Scanner(text, what));
}

/** `author.name=eq.x`: the names before the last one are the path of the embedded resource. */
function parseFilterAt(key: string, value: string): At<Logic> {
  const { path, field } = parseTreePath(key);
  return { path, value: { kind: 'filter', filter: { field, ...parseOperation(value) } } };
}

function parseTreePath(key: string): { path: string[]; field: Field } {
  const scanner = new Scanner(key, 'tree path');
  const path = [readFieldName(scanner)];
  while (scanner.take('.')) path.push(readFieldName(scanner));
  const steps = readJsonPath(scanner);
  scanner.end();
  return { path: path.slice(0, -1), field: { name: path.at(-1) ?? '', path: steps } };
}

/** `or`, `not.and`, `author.not.or`. */
function parseLogicAt(key: string, value: string): At<Logic> {
  const words = parseEmbedPath(key);
  const negated = words.includes('not');
  return {
    path: words.filter((word) => word !== 'not'),
    value: parseLogic(`${negated ? 'not.' : ''}${lastWord(key)}${value}`),
  };
}

function parseEmbedPath(key: string): string[] {
  return parseTreePath(key).path;
}

/** Ignores a limit that is not a number, as upstream. */
function parseNumberAt(key: string, value: string): At<number>[] {
  if (!/^-?\d+$/.test(value)) return [];
  const number = Math.max(-1, Math.min(Number.MAX_SAFE_INTEGER, Number(value)));
  return [{ path: parseEmbedPath(key), value: number }];
}
