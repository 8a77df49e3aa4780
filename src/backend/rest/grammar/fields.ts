import type { Scanner } from './scanner.ts';

export type JsonStep = Readonly<{ arrow: '->' | '->>'; key: string } | { arrow: '->' | '->>'; index: number }>;

/** A column and the way into it. */
export type Field = Readonly<{ name: string; path: readonly JsonStep[] }>;

const QUOTED = /"((?:[^"\\]|\\[\s\S])*)"/y;
const PLAIN = /[\p{L}\p{N}_ $]+(?:-(?!>)[\p{L}\p{N}_ $]+)*/uy;
const KEY = /[^(\-:.,>)]+(?:-(?!>)[^(\-:.,>)]+)*/y;
const INDEX = /[+-]?\d+(?=->|::|\.|,|$)/y;
const MAX_INDEX = 2_147_483_647;

/** `"a \"quoted\" name"` without its quotes, or undefined where none begins here. */
export function readQuoted(scanner: Scanner): string | undefined {
  return scanner.match(QUOTED)?.[1]?.replaceAll(/\\([\s\S])/g, '$1');
}

export function readFieldName(scanner: Scanner): string {
  const name = readQuoted(scanner) ?? scanner.match(PLAIN)?.[0].trim();
  if (name === undefined) throw scanner.createError('field name (* or [a..z0..9_$])');
  return name;
}

/** `data->a->>b`: the column and its JSON path. */
export function readField(scanner: Scanner): Field {
  scanner.skipBlanks();
  const name = readFieldName(scanner);
  const path = readJsonPath(scanner);
  scanner.skipBlanks();
  return { name, path };
}

export function readJsonPath(scanner: Scanner): JsonStep[] {
  const steps: JsonStep[] = [];
  for (;;) {
    const arrow = scanner.take('->>') ? '->>' : scanner.take('->') ? '->' : undefined;
    if (arrow === undefined) return steps;
    steps.push({ arrow, ...readOperand(scanner) });
  }
}

function readOperand(scanner: Scanner): { key: string } | { index: number } {
  const index = scanner.match(INDEX)?.[0];
  if (index !== undefined) return { index: Math.max(-MAX_INDEX, Math.min(MAX_INDEX, Number(index))) };
  const key = readQuoted(scanner) ?? scanner.match(KEY)?.[0].trim();
  if (key === undefined) throw scanner.createError('any non reserved character different from: .,>()');
  return { key };
}

/** `a,b,"c d"`. */
export function readFieldNames(scanner: Scanner): string[] {
  const names: string[] = [];
  do {
    scanner.skipBlanks();
    names.push(readFieldName(scanner));
    scanner.skipBlanks();
  } while (scanner.take(','));
  scanner.end();
  return names;
}
