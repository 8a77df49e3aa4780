import { expect, test } from 'vitest';
import { durationMs } from './durations.ts';

test.each([
  ['24h', 86_400_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['250ms', 250],
  ['0s', 0],
  ['', undefined],
  ['24', undefined],
  ['-1h', undefined],
  ['1d', undefined],
  ['1h ', undefined],
])('%j → %s ms', (text, ms) => expect(durationMs(text)).toBe(ms));
