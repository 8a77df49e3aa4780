import type { SpokenSegment } from '#contract/spoken.ts';

/** Search window in characters: skips edited text without matching a later repetition. */
const AHEAD = 600;
/** This many first words identify a sentence whose end was edited. */
const FIRST_WORDS = 4;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/**
 * Marks each sentence whose time is known with an empty piece that carries `seconds`. Edited sentences that are not
 * found get no mark.
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

/** Ignores white space between the words and never matches inside a word. */
function matchWords(words: readonly string[], text: string): RegExpExecArray | undefined {
  if (words.length === 0) return undefined;
  const pattern = words.map((word) => word.replaceAll(SYNTAX, String.raw`\$&`)).join(String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${pattern}`, 'u').exec(text) ?? undefined;
}

/** A piece of a transcript; one with `seconds` is the time of the text after it. */
type TextPiece = Readonly<{ text: string; seconds?: number }>;

const TIMECODE = /\[(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)\]/g;

/** Finds `[mm:ss]` and `[h:mm:ss]`, the forms that transcription services write. */
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
