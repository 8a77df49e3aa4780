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
export function quoted(scanner: Scanner): string | undefined {
  return scanner.match(QUOTED)?.[1]?.replaceAll(/\\([\s\S])/g, '$1');
}

export function fieldName(scanner: Scanner): string {
  const name = quoted(scanner) ?? scanner.match(PLAIN)?.[0].trim();
  if (name === undefined) throw scanner.fault('field name (* or [a..z0..9_$])');
  return name;
}

/** `data->a->>b`: the column and its JSON path. */
export function field(scanner: Scanner): Field {
  scanner.blanks();
  const name = fieldName(scanner);
  const path = jsonPath(scanner);
  scanner.blanks();
  return { name, path };
}

export function jsonPath(scanner: Scanner): JsonStep[] {
  const steps: JsonStep[] = [];
  for (;;) {
    const arrow = scanner.take('->>') ? '->>' : scanner.take('->') ? '->' : undefined;
    if (arrow === undefined) return steps;
    steps.push({ arrow, ...operand(scanner) });
  }
}

function operand(scanner: Scanner): { key: string } | { index: number } {
  const index = scanner.match(INDEX)?.[0];
  if (index !== undefined) return { index: Math.max(-MAX_INDEX, Math.min(MAX_INDEX, Number(index))) };
  const key = quoted(scanner) ?? scanner.match(KEY)?.[0].trim();
  if (key === undefined) throw scanner.fault('any non reserved character different from: .,>()');
  return { key };
}

/** `a,b,"c d"`. */
export function fieldNames(scanner: Scanner): string[] {
  const names: string[] = [];
  do {
    scanner.blanks();
    names.push(fieldName(scanner));
    scanner.blanks();
  } while (scanner.take(','));
  scanner.end();
  return names;
}
