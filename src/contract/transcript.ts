/** Who said a line. On the wire of the voice agent these are `agent_response` and `user_transcript`. */
export type Speaker = 'agent' | 'user';

/** One thing said, as it was received. */
export type Turn = Readonly<{ speaker: Speaker; text: string }>;

/** §3 'Transcript text'. */
const SPEAKER_LABELS: Readonly<Record<Speaker, string>> = { agent: 'Interviewer', user: 'Du' };

const BETWEEN_LINES = '\n\n';

/**
 * §3: the transcript after one more turn. A turn of the same speaker replaces the last line (D16 keeps all of them in
 * the turn log); an empty turn changes nothing. What stands before the last line stays to the letter, edits included.
 */
export function appendTurn(transcript: string, turn: Turn): string {
  const text = oneLine(turn.text);
  if (text === '') return transcript;
  const line = `${SPEAKER_LABELS[turn.speaker]}: ${text}`;
  const [before, last] = splitLast(transcript.trimEnd());
  const kept = last.startsWith(`${SPEAKER_LABELS[turn.speaker]}: `) ? before : join(before, last);
  return join(kept, line);
}

/**
 * What the interviewer said was cut off: its line becomes what was heard. Only the newest line with exactly the
 * original text changes; without one the transcript stays.
 */
export function correctTurn(transcript: string, original: string, corrected: string): string {
  const text = oneLine(corrected);
  const lines = transcript.split(BETWEEN_LINES);
  const at = lines.lastIndexOf(`${SPEAKER_LABELS.agent}: ${oneLine(original)}`);
  if (at < 0 || text === '') return transcript;
  return lines.with(at, `${SPEAKER_LABELS.agent}: ${text}`).join(BETWEEN_LINES);
}

/** The transcript of turns in the order in which they were received. */
export function formatTranscript(turns: readonly Turn[], start = ''): string {
  return turns.reduce(appendTurn, start);
}

/** The turns of a transcript; what carries no speaker belongs to the one before, or to the user. */
export function parseTurns(transcript: string): Turn[] {
  const turns: Turn[] = [];
  for (const line of transcript.split(BETWEEN_LINES).filter((text) => text.trim() !== '')) {
    const [, label, text] = /^(Interviewer|Du): ([^]*)$/.exec(line) ?? [];
    const last = turns.at(-1);
    if (label !== undefined)
      turns.push({ speaker: label === SPEAKER_LABELS.agent ? 'agent' : 'user', text: text ?? '' });
    else if (last === undefined) turns.push({ speaker: 'user', text: line });
    else turns[turns.length - 1] = { ...last, text: `${last.text} ${line}` };
  }
  return turns;
}

/** A blank line inside a turn would look like the next speaker's line. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function splitLast(transcript: string): [before: string, last: string] {
  const at = transcript.lastIndexOf(BETWEEN_LINES);
  return at < 0 ? ['', transcript] : [transcript.slice(0, at), transcript.slice(at + BETWEEN_LINES.length)];
}

function join(before: string, line: string): string {
  return before === '' ? line : `${before}${BETWEEN_LINES}${line}`;
}

/**
 * Drops marks from a letter that has more than 30, as no script writes: to normalize them takes time that grows with
 * the square of their number.
 */
export const limitMarks = (text: string): string => text.replaceAll(/(\p{M}{30})\p{M}+/gu, '$1');
