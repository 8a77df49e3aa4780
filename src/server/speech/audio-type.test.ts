import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { detectAudioType, SNIFF_BYTES } from './audio-type.ts';
import { SpeechError } from './errors.ts';

const fixture = async (name: string): Promise<Uint8Array> =>
  (await readFile(new URL(`../../../tests/fixtures/${name}`, import.meta.url))).subarray(0, SNIFF_BYTES);
const box = (brand: string): Uint8Array =>
  Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${brand}\0\0\0\0isommp42`), Buffer.alloc(64)]);
const FLAC = Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(64)]);
const MP3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(600)]);

test.each([
  ['a.webm', () => fixture('sprache.webm'), 'webm'],
  ['a.wav', () => fixture('sprache.wav'), 'wav'],
  ['a.ogg', () => fixture('sprache.ogg'), 'ogg'],
  ['a.oga', () => fixture('sprache.ogg'), 'oga'],
  ['a.mp4', async () => box('isom'), 'mp4'],
  ['a.m4a', async () => box('isom'), 'm4a'],
  ['a.mp4', async () => box('M4A '), 'mp4'],
  ['a.flac', async () => FLAC, 'flac'],
  ['a.mp3', async () => MP3, 'mp3'],
  ['a.mpga', async () => MP3, 'mpga'],
  ['a.mpeg', async () => MP3, 'mpeg'],
  ['a.wav', () => fixture('sprache.webm'), 'webm'],
])('Detects %s by its bytes (§9)', async (name, bytes, type) => {
  expect(await detectAudioType(name, await bytes())).toBe(type);
});

test('Refuses any other input without crashing (§9)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.uint8Array({ maxLength: 200 }), async (name, bytes) => {
      const outcome: unknown = await detectAudioType(name, bytes).catch((error: unknown) => error);
      return outcome instanceof SpeechError && outcome.code === 'unsupported_audio';
    }),
  );
  await expect(detectAudioType('a.exe', await fixture('sprache.wav'))).rejects.toThrow(SpeechError);
});
