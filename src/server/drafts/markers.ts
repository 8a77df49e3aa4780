/** A piece of the answer without markers, or the numbers of one marker in their place. */
export type Piece = Readonly<{ kind: 'text'; text: string }> | Readonly<{ kind: 'marker'; numbers: readonly number[] }>;

export type MarkerReader = Readonly<{
  read: (chunk: string) => readonly Piece[];
  /** What was held back; a marker without its end goes. */
  end: () => readonly Piece[];
}>;

/** Longer brackets are no marker. */
const LONGEST = 40;
const OPEN = /[[【]/u;
const CLOSE = /[\]】]/u;
const INSIDE = /[\d\s,;–-]/u;
const BLANK = /[ \t\u00a0]/u;

/** Takes markers such as `[3]`, `[3, 5]` and `[3–5]` out of a text that comes in chunks, wherever they are cut. */
export function createMarkerReader(): MarkerReader {
  const between = createGapWriter();
  /** A bracket and what may become a marker. */
  let begun: string | undefined;

  function* take(letter: string): Generator<Piece> {
    if (begun === undefined) {
      if (OPEN.test(letter)) begun = '[';
      else yield* between.write(letter);
      return;
    }
    const inside = begun.slice(1);
    if (CLOSE.test(letter) && /\d/.test(inside)) {
      begun = undefined;
      between.takeMarker();
      yield { kind: 'marker', numbers: readNumbers(inside) };
    } else if (INSIDE.test(letter) && begun.length < LONGEST) {
      begun += letter;
    } else if (OPEN.test(letter) || begun.length >= LONGEST) {
      // Without its bracket the rest cannot become a marker once another one between is taken out.
      begun = OPEN.test(letter) ? '[' : undefined;
      yield* between.write(inside);
      if (begun === undefined) yield* take(letter);
    } else {
      begun = undefined;
      yield* between.write(`[${inside}${letter}`);
    }
  }

  return {
    read: (chunk) => joinPieces(Array.from(chunk).flatMap((letter) => [...take(letter)])),
    end: () => {
      begun = undefined;
      const rest = between.end();
      return rest === '' ? [] : [{ kind: 'text', text: rest }];
    },
  };
}

/** Writes text, and holds blanks back until it is known whether a marker was taken out behind them. */
function createGapWriter() {
  let blanks = '';
  let afterMarker = false;
  let last = '';

  function* writeLetter(letter: string): Generator<Piece> {
    if (BLANK.test(letter)) {
      blanks += letter;
      return;
    }
    const gap = afterMarker ? joinAroundMarker(last, blanks, letter) : blanks;
    [blanks, afterMarker, last] = ['', false, letter];
    yield { kind: 'text', text: gap + letter };
  }

  return {
    *write(text: string): Generator<Piece> {
      for (const letter of text) yield* writeLetter(letter);
    },
    takeMarker: (): void => void (afterMarker = true),
    /** What was held back, unless it stood around a marker. */
    end: (): string => {
      const rest = afterMarker ? '' : blanks;
      blanks = '';
      return rest;
    },
  };
}

/** Blanks between two parts of a text from between which a marker was taken. */
function joinAroundMarker(before: string, blanks: string, after: string): string {
  if (before === '' || before === '\n' || after === '\n' || /[.,;:!?…)]/u.test(after)) return '';
  return blanks !== '' || /[.!?…]/u.test(before) ? ' ' : '';
}

const RANGE_MAX = 3;

function readNumbers(inside: string): number[] {
  const numbers = inside.split(/[\s,;]+/).flatMap((part) => {
    const [first = '', second] = part.split(/[–-]/);
    const [from, to] = [Number(first), second === undefined ? Number(first) : Number(second)];
    const isRange = to >= from && to - from <= RANGE_MAX;
    return isRange ? Array.from({ length: to - from + 1 }, (_, more) => from + more) : [from, to];
  });
  return [...new Set(numbers.filter((number) => Number.isSafeInteger(number) && number > 0))];
}

function joinPieces(pieces: readonly Piece[]): Piece[] {
  return pieces.reduce<Piece[]>((joined, piece) => {
    const before = joined.at(-1);
    if (piece.kind === 'text' && before?.kind === 'text')
      joined[joined.length - 1] = { kind: 'text', text: before.text + piece.text };
    else joined.push(piece);
    return joined;
  }, []);
}
