import { createByteQueue, type ByteQueue } from '../audio/byte-queue.ts';
import { pcmDurationMs, BYTES_PER_SAMPLE } from '../audio/pcm.ts';
import type { Clock } from '../clock.ts';
import { aheadMs, beginSentence, heardText, played, SILENT, type Playback } from './playback.ts';

/** Sends one turn's audio: chunks of about 250 ms, never more than 1.5 s ahead of the ear. */
export type Speaker = Readonly<{
  beginSentence: (text: string) => void;
  /** PCM of the current sentence, in pieces of any size. */
  push: (pcm: Uint8Array) => void;
  /** The current sentence is complete. */
  endSentence: () => void;
  /** Nothing more will be pushed; `onHeard` runs when the last word was heard. */
  finish: (onHeard: () => void) => void;
  /** Stops at once and tells what was heard. */
  cut: () => string;
}>;

export type SpeakerOptions = Readonly<{
  sampleRate: number;
  clock: Clock;
  send: (pcm: Buffer) => void;
}>;

const CHUNK_MS = 250;
const AHEAD_MAX_MS = 1_500;
/** The client buffers and the network takes time: only then was the last word heard. */
const HEARD_MARGIN_MS = 250;

type Waiting = { text: string; audio: ByteQueue; complete: boolean; durationMs: number; begun: boolean };

export function createSpeaker({ sampleRate, clock, send }: SpeakerOptions): Speaker {
  const chunkBytes = Math.round((sampleRate * CHUNK_MS) / 1000) * BYTES_PER_SAMPLE;
  const sentences: Waiting[] = [];
  let current = 0;
  let playback: Playback = SILENT;
  let cancel: (() => void) | undefined;
  let onHeard: (() => void) | undefined;
  let stopped = false;

  /** The next chunk that may go now, or undefined: wait for more audio. */
  const nextChunk = (): Buffer | undefined => {
    for (let sentence = sentences[current]; sentence !== undefined; sentence = sentences[current]) {
      if (!sentence.begun) {
        sentence.begun = true;
        playback = beginSentence(playback, sentence.text);
      }
      const waiting = sentence.audio.size();
      if (waiting >= chunkBytes || (sentence.complete && waiting > 0)) return sentence.audio.take(chunkBytes);
      if (!sentence.complete) return undefined;
      current += 1;
    }
    return undefined;
  };

  const pump = (): void => {
    cancel?.();
    cancel = undefined;
    if (stopped) return;
    while (aheadMs(playback, clock.now()) + CHUNK_MS <= AHEAD_MAX_MS) {
      const chunk = nextChunk();
      if (chunk === undefined) return rest();
      playback = played(playback, pcmDurationMs(chunk.length, sampleRate), clock.now());
      send(chunk);
    }
    cancel = clock.after(CHUNK_MS, pump);
  };

  /** Nothing to send: either more will be pushed, or only the end is left to wait for. */
  const rest = (): void => {
    if (onHeard === undefined) return;
    cancel = clock.after(aheadMs(playback, clock.now()) + HEARD_MARGIN_MS, onHeard);
  };

  return {
    beginSentence: (text) => {
      sentences.push({ text, audio: createByteQueue(), complete: false, durationMs: 0, begun: false });
    },
    push: (pcm) => {
      const sentence = sentences.at(-1);
      if (sentence === undefined || stopped) return;
      sentence.audio.push(pcm);
      sentence.durationMs += pcmDurationMs(pcm.length, sampleRate);
      pump();
    },
    endSentence: () => {
      const sentence = sentences.at(-1);
      if (sentence !== undefined) sentence.complete = true;
      pump();
    },
    finish: (heard) => {
      onHeard = heard;
      pump();
    },
    cut: () => {
      stopped = true;
      cancel?.();
      return heardText(playback, clock.now(), (at) => sentences[at]?.durationMs ?? 0);
    },
  };
}
