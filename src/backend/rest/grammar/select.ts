import { aggregatesRefused } from '../errors.ts';
import { type Field, readFieldName, readJsonPath, Scanner } from './scanner.ts';

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
  const parsed = readItems(scanner, 0);
  scanner.end();
  return parsed;
}

function readItems(scanner: Scanner, depth: number): SelectItem[] {
  if (depth > MAX_DEPTH) throw scanner.createError('fewer nested resources');
  const found: SelectItem[] = [];
  scanner.skipBlanks();
  if (scanner.isDone || scanner.sees(')')) return found;
  do {
    scanner.skipBlanks();
    found.push(readItem(scanner, depth));
    scanner.skipBlanks();
  } while (scanner.take(','));
  return found;
}

function readItem(scanner: Scanner, depth: number): SelectItem {
  if (scanner.take('*')) {
    if (!scanner.isDone && !scanner.sees(',') && !scanner.sees(')')) throw scanner.createError('","');
    return { kind: 'all' };
  }
  const spread = scanner.take('...');
  const first = readName(scanner);
  const aliased = !spread && scanner.match(ALIAS) !== undefined;
  const alias = aliased ? first : undefined;
  const name = aliased ? readName(scanner) : first;
  const { hint, inner } = readEmbedHints(scanner);
  if (scanner.take('(')) {
    const inside = readItems(scanner, depth + 1);
    scanner.expect(')');
    return { kind: 'embed', name, alias, hint, inner, spread, items: inside };
  }
  if (spread || hint !== undefined || inner) throw scanner.createError('"("');
  return readColumn(scanner, name, alias);
}

function readName(scanner: Scanner): string {
  if (scanner.match(COUNT) !== undefined) throw aggregatesRefused();
  return readFieldName(scanner);
}

function readEmbedHints(scanner: Scanner): { hint: string | undefined; inner: boolean } {
  let hint: string | undefined;
  let inner = false;
  while (scanner.take('!')) {
    const word = readFieldName(scanner);
    if (word === 'inner') inner = true;
    else if (word !== 'left') hint = word;
  }
  return { hint, inner };
}

function readColumn(scanner: Scanner, name: string, alias: string | undefined): SelectItem {
  const path = readJsonPath(scanner);
  const cast = scanner.match(CAST)?.[1]?.trim();
  if (scanner.match(AGGREGATE) !== undefined) throw aggregatesRefused();
  scanner.skipBlanks();
  if (!scanner.isDone && !scanner.sees(',') && !scanner.sees(')')) throw scanner.createError('"," or end of input');
  return { kind: 'field', field: { name, path }, alias, cast };
}
