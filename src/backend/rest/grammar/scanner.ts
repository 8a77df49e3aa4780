import { malformedQuery, type RestError } from '../errors.ts';

/** Reads a text from left to right. `what` names it in error messages, as upstream does. */
export class Scanner {
  readonly text: string;
  readonly what: string;
  at = 0;

  constructor(text: string, what: string) {
    this.text = text;
    this.what = what;
  }

  get isDone(): boolean {
    return this.at >= this.text.length;
  }

  sees(piece: string): boolean {
    return this.text.startsWith(piece, this.at);
  }

  take(piece: string): boolean {
    if (!this.sees(piece)) return false;
    this.at += piece.length;
    return true;
  }

  /** Takes what a sticky expression matches here. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at += found[0].length;
    return found;
  }

  rest(): string {
    const rest = this.text.slice(this.at);
    this.at = this.text.length;
    return rest;
  }

  skipBlanks(): void {
    while (this.sees(' ') || this.sees('\t')) this.at += 1;
  }

  expect(piece: string): void {
    if (!this.take(piece)) throw this.createError(`"${piece}"`);
  }

  end(): void {
    if (!this.isDone) throw this.createError('end of input');
  }

  createError(expecting: string): RestError {
    const next = this.text.codePointAt(this.at);
    const unexpected =
      next === undefined ? 'unexpected end of input' : `unexpected ${JSON.stringify(String.fromCodePoint(next))}`;
    return malformedQuery(
      `"failed to parse ${this.what} (${this.text})" (line 1, column ${this.at + 1})`,
      `${unexpected} expecting ${expecting}`,
    );
  }
}

type JsonStep = Readonly<{ arrow: '->' | '->>'; key: string } | { arrow: '->' | '->>'; index: number }>;

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
