import type { SpokenSegment } from '#contract/spoken.ts';
import type { TextPiece } from './timecodes.ts';

/** So far ahead a sentence is looked for: what was edited in between is skipped, what is said again later is not taken for it. */
const AHEAD = 600;
/** So many first words still tell a sentence that was edited towards its end. */
const FIRST_WORDS = 4;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * A transcript with a mark (`seconds`, no text) before each sentence whose time is known. It may have been edited: what is
 * not found has no mark.
 */
export function spokenPieces(transcript: string, segments: readonly SpokenSegment[]): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  let from = 0;
  for (const { start, text } of segments) {
    const place = placeOf(text, transcript, from);
    if (place === undefined) continue;
    if (place.begin > end) pieces.push({ text: transcript.slice(end, place.begin) });
    pieces.push({ text: '', seconds: start });
    end = place.begin;
    from = place.end;
  }
  if (end < transcript.length) pieces.push({ text: transcript.slice(end) });
  return pieces;
}

function placeOf(sentence: string, transcript: string, from: number): { begin: number; end: number } | undefined {
  const words = sentence.split(/\s+/).filter((word) => word !== '');
  const window = transcript.slice(from, from + sentence.length + AHEAD);
  const found =
    matchOf(words, window) ?? (words.length > FIRST_WORDS ? matchOf(words.slice(0, FIRST_WORDS), window) : undefined);
  if (found === undefined) return undefined;
  return { begin: from + found.index, end: from + found.index + found[0].length };
}

/** However the words are spaced; never from the middle of a word. */
function matchOf(words: readonly string[], text: string): RegExpExecArray | undefined {
  if (words.length === 0) return undefined;
  const pattern = words.map((word) => word.replaceAll(SYNTAX, String.raw`\$&`)).join(String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}`, 'u').exec(text) ?? undefined;
}
