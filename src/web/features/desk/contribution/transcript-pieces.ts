import type { SpokenSegment } from '#contract/spoken.ts';

/**
 * So far ahead a sentence is looked for: what was edited in between is skipped, what is said again later is not taken
 * for it.
 */
const AHEAD = 600;
/** So many first words still dispatch a sentence that was edited towards its end. */
const FIRST_WORDS = 4;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * A transcript with a mark (`seconds`, no text) before each sentence whose time is known. It may have been edited: what
 * is not found has no mark.
 */
export function splitAtSegments(transcript: string, segments: readonly SpokenSegment[]): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  let from = 0;
  for (const { start, text } of segments) {
    const place = findSentence(text, transcript, from);
    if (place === undefined) continue;
    if (place.begin > end) pieces.push({ text: transcript.slice(end, place.begin) });
    pieces.push({ text: '', seconds: start });
    end = place.begin;
    from = place.end;
  }
  if (end < transcript.length) pieces.push({ text: transcript.slice(end) });
  return pieces;
}

function findSentence(sentence: string, transcript: string, from: number): { begin: number; end: number } | undefined {
  const words = sentence.split(/\s+/).filter((word) => word !== '');
  const window = transcript.slice(from, from + sentence.length + AHEAD);
  const found =
    matchWords(words, window) ??
    (words.length > FIRST_WORDS ? matchWords(words.slice(0, FIRST_WORDS), window) : undefined);
  if (found === undefined) return undefined;
  return { begin: from + found.index, end: from + found.index + found[0].length };
}

/** However the words are spaced; never from the middle of a word. */
function matchWords(words: readonly string[], text: string): RegExpExecArray | undefined {
  if (words.length === 0) return undefined;
  const pattern = words.map((word) => word.replaceAll(SYNTAX, String.raw`\$&`)).join(String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}`, 'u').exec(text) ?? undefined;
}

/** A piece of a transcript; with `seconds` it is a time code, and what follows was said there. */
type TextPiece = Readonly<{ text: string; seconds?: number }>;

const TIMECODE = /\[(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)\]/g;

/** Finds `[mm:ss]` and `[h:mm:ss]`, as some transcription services write them. */
export function splitAtTimecodes(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = [];
  let end = 0;
  for (const match of text.matchAll(TIMECODE)) {
    const [code, hours = '0', minutes = '0', seconds = '0'] = match;
    if (match.index > end) pieces.push({ text: text.slice(end, match.index) });
    pieces.push({ text: code, seconds: Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) });
    end = match.index + code.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}
