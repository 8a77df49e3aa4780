import { type Field, readField, readQuoted, Scanner } from './scanner.ts';

export type Operation = Readonly<
  | { kind: 'compare'; operator: string; value: string; quantifier?: 'any' | 'all' | undefined }
  | { kind: 'is'; value: 'null' | 'not null' | 'true' | 'false' | 'unknown' }
  | { kind: 'in'; values: readonly string[] }
  | { kind: 'distinct'; value: string }
  | { kind: 'search'; parser: string; language: string | undefined; value: string }
>;

export type Filter = Readonly<{ field: Field; negated: boolean; operation: Operation }>;

/** `and(…)`, `or(…)` and the filters in them. */
export type Logic = Readonly<
  { kind: 'filter'; filter: Filter } | { kind: 'and' | 'or'; negated: boolean; members: readonly Logic[] }
>;

// prettier-ignore
const COMPARE: ReadonlyMap<string, string> = new Map([
  ['neq', '<>'], ['cs', '@>'], ['cd', '<@'], ['ov', '&&'], ['sl', '<<'], ['sr', '>>'],
  ['nxr', '&<'], ['nxl', '&>'], ['adj', '-|-'],
]);

// prettier-ignore
const QUANTIFIABLE: ReadonlyMap<string, string> = new Map([
  ['eq', '='], ['gte', '>='], ['gt', '>'], ['lte', '<='], ['lt', '<'],
  ['like', 'like'], ['ilike', 'ilike'], ['match', '~'], ['imatch', '~*'],
]);

const SEARCH: ReadonlyMap<string, string> = new Map([
  ['fts', 'to_tsquery'],
  ['plfts', 'plainto_tsquery'],
  ['phfts', 'phraseto_tsquery'],
  ['wfts', 'websearch_to_tsquery'],
]);

const OPERATOR = /([a-z]+)(?:\(([^()]*)\))?\./y;
const IS = /(not_null|null|true|false|unknown)/iy;
const LANGUAGE = /^[\p{L}\p{N}_ $]+$/u;
const EXPECTED = '"not" or operator (eq, gt, ...)';
const MAX_DEPTH = 100;

/** Reads one value up to its end, which depends on the place. */
type ReadValue = (scanner: Scanner) => string;

/** The right-hand side of `column=…`: `not.eq.1`. */
export function parseOperation(text: string): Pick<Filter, 'negated' | 'operation'> {
  const scanner = new Scanner(text, 'filter');
  const parsed = readNegatableOperation(scanner, (from) => from.rest());
  scanner.end();
  return parsed;
}

/** Whether a text looks like a filter at all; on GET /rpc others are arguments. */
export function isOperation(text: string): boolean {
  try {
    parseOperation(text);
    return true;
  } catch {
    return false;
  }
}

/** `or=(a.eq.1,and(b.gt.2,not.c.is.null))`; `text` begins with the operator: `or(…)`, `not.and(…)`. */
export function parseLogic(text: string): Logic {
  const scanner = new Scanner(text, 'logic tree');
  const parsed = readLogic(scanner, 0);
  scanner.end();
  return parsed;
}

function readNegatableOperation(scanner: Scanner, value: ReadValue): Pick<Filter, 'negated' | 'operation'> {
  const negated = scanner.take('not.');
  const start = scanner.at;
  const [, name = '', modifier] = scanner.match(OPERATOR) ?? [];
  const read = readOperation(scanner, name, modifier, value);
  if (read !== undefined) return { negated, operation: read };
  scanner.at = start;
  throw scanner.createError(EXPECTED);
}

function readOperation(
  scanner: Scanner,
  name: string,
  modifier: string | undefined,
  value: ReadValue,
): Operation | undefined {
  const quantifiable = QUANTIFIABLE.get(name);
  if (quantifiable !== undefined && (modifier === undefined || modifier === 'any' || modifier === 'all')) {
    return { kind: 'compare', operator: quantifiable, value: value(scanner), quantifier: modifier };
  }
  const parser = SEARCH.get(name);
  if (parser !== undefined && (modifier === undefined || LANGUAGE.test(modifier))) {
    return { kind: 'search', parser, language: modifier?.trim(), value: value(scanner) };
  }
  if (modifier !== undefined) return undefined;
  const operator = COMPARE.get(name);
  if (operator !== undefined) return { kind: 'compare', operator, value: value(scanner) };
  if (name === 'in') return { kind: 'in', values: readList(scanner) };
  if (name === 'is') return { kind: 'is', value: readIsValue(scanner) };
  if (name === 'isdistinct') return { kind: 'distinct', value: value(scanner) };
  return undefined;
}

function readIsValue(scanner: Scanner): 'null' | 'not null' | 'true' | 'false' | 'unknown' {
  const word = scanner.match(IS)?.[0].toLowerCase();
  if (word === 'not_null') return 'not null';
  if (word === 'null' || word === 'true' || word === 'false' || word === 'unknown') return word;
  throw scanner.createError('isVal: (null, not_null, true, false, unknown)');
}

const LIST_ELEMENT = /[^,)]*/y;
const QUOTED_ENDS = /(?=[,)]|$)/y;
const PG_ARRAY = /\{[^{}]*\}/y;

function readList(scanner: Scanner): string[] {
  scanner.skipBlanks();
  scanner.expect('(');
  scanner.skipBlanks();
  const values: string[] = [];
  do values.push(readWholeQuoted(scanner) ?? scanner.match(LIST_ELEMENT)?.[0] ?? '');
  while (scanner.take(','));
  scanner.expect(')');
  scanner.skipBlanks();
  return values;
}

/** A quoted value counts as one only where nothing but a separator follows. */
function readWholeQuoted(scanner: Scanner): string | undefined {
  const start = scanner.at;
  const value = readQuoted(scanner);
  if (value !== undefined && scanner.match(QUOTED_ENDS) !== undefined) return value;
  scanner.at = start;
  return undefined;
}

function readTreeValue(scanner: Scanner): string {
  return readWholeQuoted(scanner) ?? scanner.match(PG_ARRAY)?.[0] ?? scanner.match(LIST_ELEMENT)?.[0] ?? '';
}

const JUNCTION = /(not\.)?(and|or)[ \t]*\(/y;

function readLogic(scanner: Scanner, depth: number): Logic {
  if (depth > MAX_DEPTH) throw scanner.createError('fewer nested groups');
  const junction = scanner.match(JUNCTION);
  if (junction === undefined) return { kind: 'filter', filter: readTreeFilter(scanner) };
  const members: Logic[] = [];
  do {
    scanner.skipBlanks();
    members.push(readLogic(scanner, depth + 1));
    scanner.skipBlanks();
  } while (scanner.take(','));
  scanner.expect(')');
  scanner.skipBlanks();
  return { kind: junction[2] === 'or' ? 'or' : 'and', negated: junction[1] !== undefined, members };
}

const FIRST_WORD = /not\.([a-z]+)[.(]/y;

/** `a.not.eq.1`, and `not.a.eq.1` unless that is a filter of a column called "not". */
function readTreeFilter(scanner: Scanner): Filter {
  const start = scanner.at;
  const next = scanner.match(FIRST_WORD)?.[1];
  scanner.at = start;
  const before = !(next !== undefined && isOperator(next)) && scanner.take('not.');
  const target = readField(scanner);
  scanner.expect('.');
  const parsed = readNegatableOperation(scanner, readTreeValue);
  return { field: target, operation: parsed.operation, negated: parsed.negated !== before };
}

function isOperator(word: string): boolean {
  return COMPARE.has(word) || QUANTIFIABLE.has(word) || SEARCH.has(word) || /^(in|is|isdistinct|not)$/.test(word);
}
