import { fileTypeFromBuffer } from 'file-type';
import { expect, test } from 'vitest';
import { AREAS } from '#contract/areas.ts';
import { toPng } from './canvas.ts';
import { toPdf } from './document.ts';
import { toMp4 } from './mp4.ts';
import { SAMPLES } from './samples/index.ts';
import { drawScene } from './scenes.ts';
import { speak } from './sound.ts';

test('Made files have the type that they are handed in with', async () => {
  const frame = Buffer.alloc(16);
  const film = { width: 16, height: 16, framesPerSecond: 1, sps: frame, pps: frame, frames: [frame] };
  const made = [
    toPng(drawScene('bridge', 1, 54, 36)),
    toPdf('Titel', ['Ein Satz.']),
    speak('Ein Satz.', 110).wav,
    toMp4(film),
  ];
  const types = await Promise.all(made.map(async (bytes) => (await fileTypeFromBuffer(bytes))?.mime));
  expect(types).toEqual(['image/png', 'application/pdf', 'audio/wav', 'video/mp4']);
});

test('A scene with the same number is the same picture, with another one it is not', () => {
  const [first, again, other] = [1, 1, 2].map((seed) => toPng(drawScene('chart', seed, 108, 72)));
  expect(first).toEqual(again);
  expect(first).not.toEqual(other);
});

test('Each sentence of a recording begins after the one before', () => {
  const { spoken } = speak('Wir messen. Es dauert zwei Sekunden! Und dann?', 110);
  expect(spoken.map(({ text }) => text)).toEqual(['Wir messen.', 'Es dauert zwei Sekunden!', 'Und dann?']);
  expect(spoken.map(({ start }) => start)).toEqual(spoken.map(({ start }) => start).toSorted((a, b) => a - b));
});

test('Thirty samples have keys of their own and topics that their area offers', () => {
  expect(SAMPLES).toHaveLength(30);
  expect(new Set(SAMPLES.map(({ key }) => key)).size).toBe(30);
  const test = AREAS.find(({ id }) => id === 'testnormec');
  for (const { by, kind, topic } of SAMPLES) {
    expect(topic === undefined).toBe(kind !== 'interview');
    if (by === 'testnormec' && topic !== undefined) expect(test?.offeredTopics).toContain(topic);
  }
});
