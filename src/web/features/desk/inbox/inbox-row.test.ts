import { expect, it } from 'vitest';
import { splitExcerpt } from './inbox-row.tsx';

it.each([
  ['', []],
  ['nichts', [['nichts', false]]],
  [
    'eine \u0001Prüf\u0002maschine',
    [
      ['eine ', false],
      ['Prüf', true],
      ['maschine', false],
    ],
  ],
  [
    '\u0001a\u0002\u0001b\u0002',
    [
      ['a', true],
      ['b', true],
    ],
  ],
  ['kein Ende \u0001offen', [['kein Ende offen', false]]],
  ['nur Ende\u0002', [['nur Ende', false]]],
  [
    '\u0001a\u0001b\u0002 c',
    [
      ['ab', true],
      [' c', false],
    ],
  ],
  ['\u0001\u0002leer', [['leer', false]]],
  [
    '<b>\u0001x\u0002</b>',
    [
      ['<b>', false],
      ['x', true],
      ['</b>', false],
    ],
  ],
] as const)('Desk: splits %j at the marks of the search', (excerpt, pieces) => {
  expect(splitExcerpt(excerpt).map(({ text, found }) => [text, found])).toEqual(pieces);
});
