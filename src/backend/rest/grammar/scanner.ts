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
