/**
 * What the listener has heard of a turn, modelled, since no client reports a position: audio plays in real time from
 * the moment it is sent, one piece after the other. Pure; times in ms of one clock.
 */
export type Playback = Readonly<{
  sentences: readonly Sentence[];
  /** When everything sent so far has been played. */
  endsAt: number;
}>;

type Sentence = Readonly<{ text: string; pieces: readonly Piece[] }>;
type Piece = Readonly<{ from: number; to: number }>;

export const SILENT: Playback = { sentences: [], endsAt: -Infinity };

/** A sentence begins; the audio that follows is its. */
export function beginSentence(playback: Playback, text: string): Playback {
  return { ...playback, sentences: [...playback.sentences, { text, pieces: [] }] };
}

/** Audio of the current sentence was sent now. */
export function played(playback: Playback, durationMs: number, nowMs: number): Playback {
  const from = Math.max(nowMs, playback.endsAt);
  const piece = { from, to: from + durationMs };
  const last = playback.sentences.at(-1) ?? { text: '', pieces: [] };
  const sentences = [...playback.sentences.slice(0, -1), { ...last, pieces: [...last.pieces, piece] }];
  return { sentences, endsAt: piece.to };
}

/** How much audio the client holds that it has not played yet. */
export function aheadMs(playback: Playback, nowMs: number): number {
  return Math.max(0, playback.endsAt - nowMs);
}

/**
 * The words heard until now: whole sentences, and of the current one the share of its words that was played. `sentMs`
 * of that sentence may still grow, so `durationMs` tells how long it will be where that is known.
 */
export function heardText(playback: Playback, nowMs: number, durationMs: (sentence: number) => number): string {
  const heard = playback.sentences.map(({ text, pieces }, at) => {
    const heardMs = pieces.reduce((sum, { from, to }) => sum + Math.min(Math.max(nowMs - from, 0), to - from), 0);
    const words = text.split(' ');
    const share = heardMs / Math.max(durationMs(at), 1);
    return share >= 1 ? text : words.slice(0, Math.floor(words.length * share)).join(' ');
  });
  return heard.join(' ').replace(/\s+/g, ' ').trim();
}
