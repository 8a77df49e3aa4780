import { aggregatesRefused } from '../errors.ts';
import { fieldName, jsonPath, type Field } from './fields.ts';
import { Scanner } from './scanner.ts';

export type SelectItem = Readonly<
  | { kind: 'all' }
  | { kind: 'field'; field: Field; alias: string | undefined; cast: string | undefined }
  | {
      kind: 'embed';
      name: string;
      alias: string | undefined;
      hint: string | undefined;
      inner: boolean;
      spread: boolean;
      items: readonly SelectItem[];
    }
>;

const ALIAS = /:(?!:)/y;
const CAST = /::([\p{L}\p{N}_ $]+)/uy;
const AGGREGATE = /\.(?:sum|avg|count|max|min)\(\)/y;
const COUNT = /count\(\)/y;
const MAX_DEPTH = 20;

/** `id,name:title,data->>a::int,author(id,name)`. */
export function parseSelect(text: string): SelectItem[] {
  const scanner = new Scanner(text, 'select parameter');
  const parsed = items(scanner, 0);
  scanner.end();
  return parsed;
}

function items(scanner: Scanner, depth: number): SelectItem[] {
  if (depth > MAX_DEPTH) throw scanner.fault('fewer nested resources');
  const found: SelectItem[] = [];
  scanner.blanks();
  if (scanner.done || scanner.sees(')')) return found;
  do {
    scanner.blanks();
    found.push(item(scanner, depth));
    scanner.blanks();
  } while (scanner.take(','));
  return found;
}

function item(scanner: Scanner, depth: number): SelectItem {
  if (scanner.take('*')) {
    if (!scanner.done && !scanner.sees(',') && !scanner.sees(')')) throw scanner.fault('","');
    return { kind: 'all' };
  }
  const spread = scanner.take('...');
  const first = countOrName(scanner);
  const aliased = !spread && scanner.match(ALIAS) !== undefined;
  const alias = aliased ? first : undefined;
  const name = aliased ? countOrName(scanner) : first;
  const { hint, inner } = embedHints(scanner);
  if (scanner.take('(')) {
    const inside = items(scanner, depth + 1);
    scanner.expect(')');
    return { kind: 'embed', name, alias, hint, inner, spread, items: inside };
  }
  if (spread || hint !== undefined || inner) throw scanner.fault('"("');
  return column(scanner, name, alias);
}

function countOrName(scanner: Scanner): string {
  if (scanner.match(COUNT) !== undefined) throw aggregatesRefused();
  return fieldName(scanner);
}

function embedHints(scanner: Scanner): { hint: string | undefined; inner: boolean } {
  let hint: string | undefined;
  let inner = false;
  while (scanner.take('!')) {
    const word = fieldName(scanner);
    if (word === 'inner') inner = true;
    else if (word !== 'left') hint = word;
  }
  return { hint, inner };
}

function column(scanner: Scanner, name: string, alias: string | undefined): SelectItem {
  const path = jsonPath(scanner);
  const cast = scanner.match(CAST)?.[1]?.trim();
  if (scanner.match(AGGREGATE) !== undefined) throw aggregatesRefused();
  scanner.blanks();
  if (!scanner.done && !scanner.sees(',') && !scanner.sees(')')) throw scanner.fault('"," or end of input');
  return { kind: 'field', field: { name, path }, alias, cast };
}
