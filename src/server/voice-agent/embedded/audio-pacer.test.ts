import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { AudioPacer } from './audio-pacer.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const testClock = () => ({ ...systemClock, advance: (ms: number) => void vi.advanceTimersByTime(ms) });

const RATE = 16_000;
const pcm = (ms: number): Buffer => Buffer.alloc((RATE * ms * 2) / 1000);

function pacer(sampleRate = RATE) {
  const clock = testClock();
  const sent: { at: number; bytes: number }[] = [];
  const made = new AudioPacer({
    sampleRate,
    clock,
    send: (chunk) => void sent.push({ at: clock.now(), bytes: chunk.length }),
  });
  const { beginSentence, push, endSentence, finish, cut } = made;
  return { clock, sent, beginSentence, push, endSentence, finish, cut };
}

test('Sends chunks of 250 ms, at most 1.5 s ahead of playback', () => {
  const { clock, sent, beginSentence, push, endSentence } = pacer();
  beginSentence('Ein langer Satz.');
  push(pcm(5_100));
  endSentence();
  for (let at = 0; at < 6_000; at += 50) {
    clock.advance(50);
    const sentMs = sent.reduce((sum, chunk) => sum + chunk.bytes / 32, 0);
    expect(sentMs - clock.now()).toBeLessThanOrEqual(1_500);
  }
  expect(sent.slice(0, -1).every((chunk) => chunk.bytes === pcm(250).length)).toBe(true);
  expect(sent.reduce((sum, chunk) => sum + chunk.bytes, 0)).toBe(pcm(5_100).length);
});

test('Reports the end only after the last chunk was played', () => {
  const { clock, beginSentence, push, endSentence, finish } = pacer();
  let heard: number | undefined;
  beginSentence('Kurz.');
  push(pcm(1_000));
  endSentence();
  finish(() => (heard = clock.now()));
  clock.advance(999);
  expect(heard).toBeUndefined();
  clock.advance(1_000);
  expect(heard).toBeGreaterThanOrEqual(1_000);
});

test('Sends nothing after a cut and returns the words heard', () => {
  const { clock, sent, beginSentence, push, endSentence, cut } = pacer();
  beginSentence('Eins.');
  push(pcm(1_000));
  endSentence();
  beginSentence('Zwei drei vier fünf.');
  push(pcm(1_000));
  endSentence();
  clock.advance(1_500);
  expect(cut()).toBe('Eins. Zwei drei');
  const before = sent.length;
  push(pcm(1_000));
  clock.advance(10_000);
  expect(sent).toHaveLength(before);
});

test.each([16_000, 22_050, 24_000])('A cut leaves the sentence before whole, at %i Hz', (rate) => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 400 }),
      (pieces, laterMs) => {
        const { clock, beginSentence, push, endSentence, cut } = pacer(rate);
        beginSentence('Was genau prüft ihr daran?');
        for (const samples of pieces) push(Buffer.alloc(samples * 2));
        endSentence();
        beginSentence('Und warum gerade das?');
        push(Buffer.alloc(rate * 4));
        endSentence();
        const firstMs = (pieces.reduce((sum, samples) => sum + samples, 0) / rate) * 1000;
        clock.advance(Math.ceil(firstMs) + laterMs);
        expect(cut()).toMatch(/^Was genau prüft ihr daran\?/);
      },
    ),
  );
});

test('Counts late audio as played late', () => {
  const { clock, beginSentence, push, endSentence, cut } = pacer();
  beginSentence('Eins zwei.');
  push(pcm(500));
  clock.advance(5_000);
  push(pcm(500));
  endSentence();
  clock.advance(250);
  expect(cut()).toBe('Eins');
});
