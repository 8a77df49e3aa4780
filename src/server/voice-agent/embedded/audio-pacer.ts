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

/** Sums of pieces miss the length of a sentence by rounding; a whole sentence must not lose its last word by that. */
const ROUNDING_MS = 1;

type Sentence = {
  text: string;
  audio: ByteQueue;
  complete: boolean;
  durationMs: number;
  /** When each piece that was sent is played. */
  pieces: { from: number; to: number }[];
};

/**
 * Sends one turn's audio in chunks of about 250 ms, at most 1.5 s ahead of playback. Models what the user has heard of
 * it, because no client reports a position: each piece plays in real time from the moment it is sent, after the one
 * before it.
 */
export class AudioPacer {
  readonly #options: AudioPacerOptions;
  readonly #chunkBytes: number;
  readonly #sentences: Sentence[] = [];
  #current = 0;
  /** When everything sent so far has been played. */
  #endsAt = -Infinity;
  #cancel: (() => void) | undefined;
  #onHeard: (() => void) | undefined;
  #stopped = false;

  constructor(options: AudioPacerOptions) {
    this.#options = options;
    this.#chunkBytes = Math.round((options.sampleRate * CHUNK_MS) / 1000) * BYTES_PER_SAMPLE;
  }

  readonly beginSentence = (text: string): void => {
    this.#sentences.push({ text, audio: createByteQueue(), complete: false, durationMs: 0, pieces: [] });
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
    return this.#getHeardText();
  };

  /** Whole sentences and the share of the current one that was played. */
  #getHeardText(): string {
    const now = this.#options.clock.now();
    const heard = this.#sentences.map(({ text, pieces, durationMs }) => {
      const heardMs = pieces.reduce((sum, { from, to }) => sum + Math.min(Math.max(now - from, 0), to - from), 0);
      if (heardMs === 0) return '';
      const words = text.split(' ');
      const share = Math.min((heardMs + ROUNDING_MS) / Math.max(durationMs, 1), 1);
      return words.slice(0, Math.floor(words.length * share)).join(' ');
    });
    return heard.join(' ').replace(/\s+/g, ' ').trim();
  }

  /** The next chunk, or undefined until more audio comes. */
  #takeChunk(): Buffer | undefined {
    for (const sentence of this.#sentences.slice(this.#current)) {
      const waiting = sentence.audio.size();
      if (waiting >= this.#chunkBytes || (sentence.complete && waiting > 0)) {
        const chunk = sentence.audio.take(this.#chunkBytes);
        const from = Math.max(this.#options.clock.now(), this.#endsAt);
        this.#endsAt = from + pcmDurationMs(chunk.length, this.#options.sampleRate);
        sentence.pieces.push({ from, to: this.#endsAt });
        return chunk;
      }
      if (!sentence.complete) return undefined;
      this.#current += 1;
    }
    return undefined;
  }

  #pump(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#stopped) return;
    while (this.#getAheadMs() + CHUNK_MS <= AHEAD_MAX_MS) {
      const chunk = this.#takeChunk();
      if (chunk === undefined) return this.#awaitEnd();
      this.#options.send(chunk);
    }
    this.#cancel = this.#options.clock.after(CHUNK_MS, () => this.#pump());
  }

  /** Waits for more audio, or for the end of playback after the last chunk. */
  #awaitEnd(): void {
    if (this.#onHeard === undefined) return;
    this.#cancel = this.#options.clock.after(this.#getAheadMs() + HEARD_MARGIN_MS, this.#onHeard);
  }

  /** How much audio the client has not played yet. */
  #getAheadMs(): number {
    return Math.max(0, this.#endsAt - this.#options.clock.now());
  }
}
