import { readFile } from 'node:fs/promises';
import type { RecordingCheck } from '#contract/setup.ts';
import { transcribeWav, type TranscriptionEngine } from '../engine.ts';

/** A recording as 16-bit WAV with the words that it holds. */
export type KnownRecording = Readonly<{ audio: Buffer; words: string }>;

const SAMPLE = new URL('sample.wav', import.meta.url);
const SAMPLE_WORDS =
  'Guten Tag. Wir haben in unserer Werkstatt eine neue Prüfmaschine gebaut. Sie misst jedes Bauteil in ' +
  'unter zwei Sekunden.';
const HEADER_BYTES = 44;
/** Where a WAV file names its bytes a second. */
const RATE_AT = 28;

/** The German recording that comes with the server (16 kHz, 7.6 s). */
export async function readSample(): Promise<KnownRecording> {
  return { audio: await readFile(SAMPLE), words: SAMPLE_WORDS };
}

/** Transcribes a recording and compares the text with the known words. Throws SpeechError. */
export async function checkRecording(
  engine: TranscriptionEngine,
  { audio, words }: KnownRecording,
  signal: AbortSignal,
): Promise<RecordingCheck> {
  const startedAt = performance.now();
  const { text } = await transcribeWav(engine, audio, { signal, caller: 'check', priority: 'recording' });
  const expected = splitWords(words);
  return {
    text: text.trim(),
    expected: words,
    wordErrorRate: countWordErrors(expected, splitWords(text)) / Math.max(1, expected.length),
    audioSeconds: (audio.length - HEADER_BYTES) / audio.readUInt32LE(RATE_AT),
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

/** The words of a text, without case and punctuation. */
export function splitWords(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLocaleLowerCase('de')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** The fewest words to replace, leave out or add, from one list to the other (Levenshtein). */
export function countWordErrors(expected: readonly string[], heard: readonly string[]): number {
  let row = heard.map((_, at) => at + 1);
  for (const [line, word] of expected.entries()) {
    let diagonal = line;
    let left = line + 1;
    row = row.map((above, at) => {
      const replaced = diagonal + (heard[at] === word ? 0 : 1);
      diagonal = above;
      left = Math.min(replaced, above + 1, left + 1);
      return left;
    });
  }
  return row.at(-1) ?? expected.length;
}
