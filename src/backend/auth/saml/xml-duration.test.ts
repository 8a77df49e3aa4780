import { expect, test } from 'vitest';
import { durationOfXml } from './xml-duration.ts';

test.each([
  ['PT6H', 21_600_000],
  ['P1D', 86_400_000],
  ['P1DT1H1M1.5S', 90_061_500],
  ['PT0S', 0],
  ['P', undefined],
  ['6h', undefined],
  ['', undefined],
])('%j is %s ms', (text, ms) => expect(durationOfXml(text)).toBe(ms));
