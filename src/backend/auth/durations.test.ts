import { expect, test } from 'vitest';
import { parseDuration, parseXmlDuration } from './durations.ts';

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
])('%j → %s ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

test.each([
  ['PT6H', 21_600_000],
  ['P1D', 86_400_000],
  ['P1DT1H1M1.5S', 90_061_500],
  ['PT0S', 0],
  ['P', undefined],
  ['6h', undefined],
  ['', undefined],
])('%j is %s ms', (text, ms) => expect(parseXmlDuration(text)).toBe(ms));
