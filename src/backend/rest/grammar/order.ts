import { readField, type Field } from './fields.ts';
import { Scanner } from './scanner.ts';

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
