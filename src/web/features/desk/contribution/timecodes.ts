/** A piece of a transcript; with `seconds` it is a time code, and what follows was said there. */
export type TextPiece = Readonly<{ text: string; seconds?: number }>;

const TIMECODE = /\[(?:(\d{1,2}):)?([0-5]?\d):([0-5]\d)\]/g;

/** Finds `[mm:ss]` and `[h:mm:ss]`, as some transcription services write them. */
export function timecodesIn(text: string): readonly TextPiece[] {
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
