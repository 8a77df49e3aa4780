import { pcmDurationMs } from '../audio/pcm.ts';
import { VAD_SAMPLE_RATE } from '../audio/vad.ts';

/** Transcribes a segment in its first pause, so that its words are ready at its end. */
export type EarlyTranscription = Readonly<{
  start: (audio: Buffer) => void;
  /** Ends the request: the user goes on speaking. */
  cancel: () => void;
  /** The words of the whole segment, from the request of its pause or from a new one. */
  take: (audio: Buffer) => Promise<string>;
}>;

/** Audio that may be wasted before the first words. */
const WASTE_FREE_MS = 15_000;

/**
 * A cancelled request costs as much as a used one: no more audio is wasted than was spoken. After a request that fails
 * the whole segment is sent once more.
 */
export function createEarlyTranscription(
  transcribe: (audio: Buffer, signal?: AbortSignal) => Promise<string>,
): EarlyTranscription {
  let early: { abort: AbortController; ms: number; words: Promise<string> } | undefined;
  let spokenMs = 0;
  let wastedMs = 0;
  return {
    start: (audio) => {
      const ms = pcmDurationMs(audio.length, VAD_SAMPLE_RATE);
      if (wastedMs + ms > Math.max(WASTE_FREE_MS, spokenMs)) return;
      const abort = new AbortController();
      const words = transcribe(audio, abort.signal);
      words.catch(() => undefined);
      early = { abort, ms, words };
    },
    cancel: () => {
      early?.abort.abort();
      wastedMs += early?.ms ?? 0;
      early = undefined;
    },
    take: (audio) => {
      const words = early?.words ?? transcribe(audio);
      early = undefined;
      spokenMs += pcmDurationMs(audio.length, VAD_SAMPLE_RATE);
      return words.catch(() => transcribe(audio));
    },
  };
}
