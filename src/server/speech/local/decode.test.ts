import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeOpusFile, makeSineWav, type WavOptions } from '#tests/support/speech-audio.ts';
import { decodeAudio, SAMPLE_RATE } from './decode.ts';

const readFixture = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await readFile(new URL(`../../../../tests/fixtures/${name}`, import.meta.url)));

const getPeak = (samples: Int16Array): number => samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);

/** How much of the loudness lies at one frequency, 0 to 1. */
function measureTone(samples: Int16Array, hz: number): number {
  let sine = 0;
  let cosine = 0;
  let power = 0;
  samples.forEach((sample, index) => {
    const angle = (2 * Math.PI * hz * index) / SAMPLE_RATE;
    sine += sample * Math.sin(angle);
    cosine += sample * Math.cos(angle);
    power += sample * sample;
  });
  return (2 * (sine ** 2 + cosine ** 2)) / (power * samples.length);
}

test.each(['webm', 'ogg', 'mp4'] as const)('Decodes Opus in %s to 16 kHz mono', async (format) => {
  const samples = await decodeAudio(await makeOpusFile(format));
  expect(samples.length / SAMPLE_RATE).toBeCloseTo(3, 1);
  expect(getPeak(samples)).toBeGreaterThan(3_000);
});

test('Decodes what a browser recorded, without duration and sizes', async () => {
  const samples = await decodeAudio(await readFixture('sprache.webm'));
  expect(samples).toEqual(await decodeAudio(await makeOpusFile('webm')));
});

test.each(['webm', 'ogg', 'mp4'] as const)('Drops what an encoder puts before the sound in %s', async (format) => {
  const [whole, skipped] = await Promise.all([0, 4_800].map(async (preSkip) => makeOpusFile(format, 1, preSkip)));
  if (whole === undefined || skipped === undefined) throw new Error('no recordings');
  expect(await decodeAudio(skipped)).toEqual((await decodeAudio(whole)).slice(1_600));
});

test('Keeps WAV of 16 kHz as it is', async () => {
  const file = await readFixture('sprache.wav');
  const samples = await decodeAudio(file);
  expect(Buffer.from(samples.buffer).equals(file.subarray(file.length - samples.byteLength))).toBe(true);
});

test.each<[WavOptions]>([
  [{ rate: 8_000 }],
  [{ rate: 44_100, channels: 2 }],
  [{ rate: 48_000, bits: 24 }],
  [{ rate: 22_050, bits: 8 }],
  [{ rate: 48_000, bits: 32, float: true, channels: 2 }],
  [{ rate: 96_000, bits: 32 }],
])('Reads WAV of %j', async (options) => {
  const samples = await decodeAudio(makeSineWav(440, 0.5, options));
  expect(samples.length).toBe(SAMPLE_RATE / 2);
  expect(getPeak(samples) / 32_768).toBeCloseTo(0.5, 1);
  expect(measureTone(samples, 440)).toBeGreaterThan(0.98);
});

test('Removes what 16 kHz cannot hold instead of folding it back', async () => {
  const samples = await decodeAudio(makeSineWav(12_000, 0.5, { rate: 48_000 }));
  // The edges hold the sudden begin and end of the sound.
  expect(getPeak(samples.slice(200, -200))).toBeLessThan(200);
});

test.each(['sprache.ogg'])('Asks for WAV where the codec is another one (%s)', async (name) => {
  await expect(decodeAudio(await readFixture(name))).rejects.toMatchObject({ code: 'audio_needs_wav' });
});

test('Asks for WAV for what is no recording', async () => {
  await expect(decodeAudio(new Uint8Array(5_000))).rejects.toMatchObject({ code: 'audio_needs_wav' });
});

test('Decodes what there is of a recording that was cut', async () => {
  const file = await makeOpusFile('webm', 10);
  const samples = await decodeAudio(file.slice(0, file.length / 2));
  expect(samples.length / SAMPLE_RATE).toBeGreaterThan(10);
});

test('Refuses more sound than it may hold', async () => {
  const wav = makeSineWav(440, 3, { rate: 8_000 });
  for (const file of [wav, await makeOpusFile('webm')]) {
    await expect(decodeAudio(file, 2.5)).rejects.toMatchObject({ code: 'audio_too_long' });
  }
});

test('Refuses a sample rate that no microphone has', async () => {
  await expect(decodeAudio(makeSineWav(1, 3, { rate: 100 }))).rejects.toMatchObject({ code: 'service_rejected' });
});
