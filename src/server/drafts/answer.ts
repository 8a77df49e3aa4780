import type { DraftErrorCode } from '#contract/drafts.ts';

/** A piece of the answer without markers, or the numbers of one marker in their place. */
export type Piece = Readonly<{ kind: 'text'; text: string }> | Readonly<{ kind: 'marker'; numbers: readonly number[] }>;

/** Longer brackets are no marker. */
const LONGEST_MARKER = 40;
const OPEN = /[[【]/u;
const CLOSE = /[\]】]/u;
const INSIDE = /[\d\s,;–-]/u;
const BLANK = /[ \t\u00a0]/u;

/** Takes markers such as `[3]`, `[3, 5]` and `[3–5]` out of a text that comes in chunks, wherever they are cut. */
export function createMarkerReader() {
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
    } else if (INSIDE.test(letter) && begun.length < LONGEST_MARKER) {
      begun += letter;
    } else if (OPEN.test(letter) || begun.length >= LONGEST_MARKER) {
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
    read: (chunk: string): readonly Piece[] => joinPieces(Array.from(chunk).flatMap((letter) => [...take(letter)])),
    /** What was held back; a marker without its end goes. */
    end: (): readonly Piece[] => {
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

const TAIL = 1_500;
const REPEATED_CHARACTERS = 160;
const REPETITIONS = 4;
const SENTENCE_MIN = 25;

/** Whether the end of a text is one passage again and again, or one of its sentences stands there four times. */
export function repeatsItself(text: string): boolean {
  const tail = text.slice(-TAIL).toLowerCase();
  for (let length = 1; length * REPETITIONS <= tail.length; length += 1) {
    const wanted = Math.max(length * REPETITIONS, REPEATED_CHARACTERS);
    if (wanted <= tail.length && hasPeriod(tail.slice(-wanted), length)) return true;
  }
  const counts = new Map<string, number>();
  for (const sentence of text.toLowerCase().split(/[.!?\n]+\s*/)) {
    if (sentence.trim().length < SENTENCE_MIN) continue;
    const count = (counts.get(sentence.trim()) ?? 0) + 1;
    if (count >= REPETITIONS) return true;
    counts.set(sentence.trim(), count);
  }
  return false;
}

const hasPeriod = (text: string, length: number): boolean => text.slice(length) === text.slice(0, -length);

const listWords = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Short words that only one of the languages has. */
const GERMAN = listWords(`
  der die das den dem ein eine einen einem einer und oder aber nicht ist sind ich wir sie er es mit von zu auf für
  auch wie bei nach aus wenn dass sich mehr noch nur schon unser unsere mein meine zum zur vom beim hat haben wird werden
  kann können im um über durch doch dann heute uns mich dir dich
`);
const ENGLISH = listWords(`
  the and of to is are we our with for that this it on at by from have has you your they their be been as not but or
  my me us which would can will how what when who i
`);
const ENOUGH_WORDS = 25;
const GERMAN_SHARE = 0.06;

/** False only where there are enough words to tell. */
export function isForeign(text: string): boolean {
  const plain = text.toLowerCase().replaceAll(/https?:\/\/\S+|#\S+/g, ' ');
  const words = plain.match(/\p{L}+/gu) ?? [];
  const german = words.filter((word) => GERMAN.has(word)).length;
  const english = words.filter((word) => ENGLISH.has(word) && !GERMAN.has(word)).length;
  if (english >= 6 && english > german) return true;
  return words.length >= ENOUGH_WORDS && german / words.length < GERMAN_SHARE;
}

/** What is wrong with a text, also with an unfinished one. */
export function findTextError(text: string, progress: 'growing' | 'finished'): DraftErrorCode | undefined {
  if (repeatsItself(text)) return 'answer_repeats';
  if (progress === 'growing')
    return (text.match(/\p{L}+/gu) ?? []).length >= 2 * ENOUGH_WORDS && isForeign(text)
      ? 'answer_not_german'
      : undefined;
  if (!/\p{L}/u.test(text)) return 'answer_empty';
  return isForeign(text) ? 'answer_not_german' : undefined;
}
