import { BYTES_PER_SAMPLE, createByteQueue, pcmDurationMs, type ByteQueue } from '../audio/pcm.ts';
import type { Clock } from '../clock.ts';

export type AudioPacerOptions = Readonly<{
  sampleRate: number;
  clock: Clock;
  send: (pcm: Buffer) => void;
}>;

const CHUNK_MS = 250;
const AHEAD_MAX_MS = 1_500;
/** Time for the client's buffer and the network. */
const HEARD_MARGIN_MS = 250;

type PendingSentence = { text: string; audio: ByteQueue; complete: boolean; durationMs: number; begun: boolean };

/** Sends one turn's audio in chunks of about 250 ms, at most 1.5 s ahead of playback. */
export class AudioPacer {
  readonly #options: AudioPacerOptions;
  readonly #chunkBytes: number;
  readonly #sentences: PendingSentence[] = [];
  #current = 0;
  #playback: Playback = NOTHING_PLAYED;
  #cancel: (() => void) | undefined;
  #onHeard: (() => void) | undefined;
  #stopped = false;

  constructor(options: AudioPacerOptions) {
    this.#options = options;
    this.#chunkBytes = Math.round((options.sampleRate * CHUNK_MS) / 1000) * BYTES_PER_SAMPLE;
  }

  readonly beginSentence = (text: string): void => {
    this.#sentences.push({ text, audio: createByteQueue(), complete: false, durationMs: 0, begun: false });
  };

  /** PCM of the current sentence, in pieces of any size. */
  readonly push = (pcm: Uint8Array): void => {
    const sentence = this.#sentences.at(-1);
    if (sentence === undefined || this.#stopped) return;
    sentence.audio.push(pcm);
    sentence.durationMs += pcmDurationMs(pcm.length, this.#options.sampleRate);
    this.#pump();
  };

  /** Completes the current sentence. */
  readonly endSentence = (): void => {
    const sentence = this.#sentences.at(-1);
    if (sentence !== undefined) sentence.complete = true;
    this.#pump();
  };

  /** Completes the turn; `onHeard` runs when its last word was heard. */
  readonly finish = (heard: () => void): void => {
    this.#onHeard = heard;
    this.#pump();
  };

  /** Stops at once and returns the words heard. */
  readonly cut = (): string => {
    this.#stopped = true;
    this.#cancel?.();
    return getHeardText(this.#playback, this.#options.clock.now(), (at) => this.#sentences[at]?.durationMs ?? 0);
  };

  /** The next chunk, or undefined until more audio comes. */
  #takeChunk(): Buffer | undefined {
    for (
      let sentence = this.#sentences[this.#current];
      sentence !== undefined;
      sentence = this.#sentences[this.#current]
    ) {
      if (!sentence.begun) {
        sentence.begun = true;
        this.#playback = addSentence(this.#playback, sentence.text);
      }
      const waiting = sentence.audio.size();
      if (waiting >= this.#chunkBytes || (sentence.complete && waiting > 0))
        return sentence.audio.take(this.#chunkBytes);
      if (!sentence.complete) return undefined;
      this.#current += 1;
    }
    return undefined;
  }

  #pump(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#stopped) return;
    while (getAheadMs(this.#playback, this.#options.clock.now()) + CHUNK_MS <= AHEAD_MAX_MS) {
      const chunk = this.#takeChunk();
      if (chunk === undefined) return this.#awaitEnd();
      this.#playback = addPiece(
        this.#playback,
        pcmDurationMs(chunk.length, this.#options.sampleRate),
        this.#options.clock.now(),
      );
      this.#options.send(chunk);
    }
    this.#cancel = this.#options.clock.after(CHUNK_MS, () => this.#pump());
  }

  /** Waits for more audio, or for the end of playback after the last chunk. */
  #awaitEnd(): void {
    if (this.#onHeard === undefined) return;
    this.#cancel = this.#options.clock.after(
      getAheadMs(this.#playback, this.#options.clock.now()) + HEARD_MARGIN_MS,
      this.#onHeard,
    );
  }
}

/**
 * Models what the user has heard of a turn, because no client reports a position: each piece plays in real time from
 * the moment it is sent, after the one before it. Pure; times in ms of one clock.
 */
type Playback = Readonly<{
  sentences: readonly Sentence[];
  /** When everything sent so far has been played. */
  endsAt: number;
}>;

type Sentence = Readonly<{ text: string; pieces: readonly Piece[] }>;
type Piece = Readonly<{ from: number; to: number }>;

const NOTHING_PLAYED: Playback = { sentences: [], endsAt: -Infinity };

/** Starts a sentence; the pieces that follow belong to it. */
function addSentence(playback: Playback, text: string): Playback {
  return { ...playback, sentences: [...playback.sentences, { text, pieces: [] }] };
}

/** Adds a piece of the current sentence that is sent now. */
function addPiece(playback: Playback, durationMs: number, nowMs: number): Playback {
  const from = Math.max(nowMs, playback.endsAt);
  const piece = { from, to: from + durationMs };
  const last = playback.sentences.at(-1) ?? { text: '', pieces: [] };
  const sentences = [...playback.sentences.slice(0, -1), { ...last, pieces: [...last.pieces, piece] }];
  return { sentences, endsAt: piece.to };
}

/** Sums of pieces miss the length of a sentence by rounding; a whole sentence must not lose its last word by that. */
const ROUNDING_MS = 1;

/** How much audio the client has not played yet. */
function getAheadMs(playback: Playback, nowMs: number): number {
  return Math.max(0, playback.endsAt - nowMs);
}

/**
 * The words heard until now: whole sentences and the share of the current one that was played. `durationMs` is the
 * length of a sentence as far as it is known.
 */
function getHeardText(playback: Playback, nowMs: number, durationMs: (sentence: number) => number): string {
  const heard = playback.sentences.map(({ text, pieces }, at) => {
    const heardMs = pieces.reduce((sum, { from, to }) => sum + Math.min(Math.max(nowMs - from, 0), to - from), 0);
    if (heardMs === 0) return '';
    const words = text.split(' ');
    const share = Math.min((heardMs + ROUNDING_MS) / Math.max(durationMs(at), 1), 1);
    return words.slice(0, Math.floor(words.length * share)).join(' ');
  });
  return heard.join(' ').replace(/\s+/g, ' ').trim();
}
