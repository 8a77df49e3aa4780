import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { TranscriptionEngine } from '../engine.ts';
import { checkRecording, readSample, countWordErrors, splitWords } from './check-recording.ts';

test.each([
  ['Guten Tag.', 'guten tag', 0],
  ['eins zwei drei', 'eins drei', 1],
  ['eins zwei drei', 'eins zwei zwei drei', 1],
  ['eins zwei drei', 'eins vier drei', 1],
  ['eins zwei', '', 2],
  ['', 'eins zwei', 2],
  ['a b c d', 'b c d e', 2],
])('Counts the wrong words from "%s" to "%s"', (expected, heard, errors) => {
  expect(countWordErrors(splitWords(expected), splitWords(heard))).toBe(errors);
});

test('Compares letters in both of their written forms', () => {
  expect(splitWords('Prüfmaschine')).toEqual(splitWords('Pru\u0308fmaschine'));
});

test('Checks the recording of the tests with its known words', async () => {
  const sample = await readSample();
  expect(sample.audio.equals(await readFile('tests/fixtures/sprache.wav'))).toBe(true);
  const received: Uint8Array[] = [];
  const transcribe: TranscriptionEngine['transcribe'] = async ({ audio }) => {
    for await (const piece of audio) received.push(piece);
    return { text: ' Guten Tag. Wir haben in unserer Werkstatt eine neue Maschine gebaut. ', segments: [] };
  };
  const check = await checkRecording({ transcribe }, sample, new AbortController().signal);
  expect(Buffer.concat(received).equals(sample.audio)).toBe(true);
  expect(check.text).toMatch(/^Guten .* gebaut\.$/);
  // Of 19 words one is another and eight are missing.
  expect(check.wordErrorRate).toBeCloseTo(9 / 19);
  expect(check.audioSeconds).toBeCloseTo(7.62, 1);
});
