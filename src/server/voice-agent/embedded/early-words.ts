import { pcmDurationMs } from '../audio/pcm.ts';
import { VAD_SAMPLE_RATE } from '../audio/vad.ts';

/** Words of a segment, asked for in its first pause, so that they are there when the segment is over. */
export type EarlyWords = Readonly<{
  begin: (audio: Buffer) => void;
  /** The user goes on speaking: the request ends. */
  cancel: () => void;
  /** The words of the whole segment: those of its pause, or asked for now. */
  take: (audio: Buffer) => Promise<string>;
}>;

/** Audio that may be sent in vain before anything was understood. */
const FREE_MS = 15_000;

/**
 * Each request in vain costs as much as a real one: in all, no more audio is sent in vain than was spoken. Of a request
 * that fails, the whole segment is asked for once more.
 */
export function createEarlyWords(ask: (audio: Buffer, signal?: AbortSignal) => Promise<string>): EarlyWords {
  let early: { abort: AbortController; ms: number; words: Promise<string> } | undefined;
  let spokenMs = 0;
  let vainMs = 0;
  return {
    begin: (audio) => {
      const ms = pcmDurationMs(audio.length, VAD_SAMPLE_RATE);
      if (vainMs + ms > Math.max(FREE_MS, spokenMs)) return;
      const abort = new AbortController();
      const words = ask(audio, abort.signal);
      words.catch(() => undefined);
      early = { abort, ms, words };
    },
    cancel: () => {
      early?.abort.abort();
      vainMs += early?.ms ?? 0;
      early = undefined;
    },
    take: (audio) => {
      const words = early?.words ?? ask(audio);
      early = undefined;
      spokenMs += pcmDurationMs(audio.length, VAD_SAMPLE_RATE);
      return words.catch(() => ask(audio));
    },
  };
}
