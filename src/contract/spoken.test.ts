import { expect, test } from 'vitest';
import { spokenSegments } from './spoken.ts';

test.each([
  ['no list', undefined, []],
  ['a text', 'x', []],
  ['an empty list', [], []],
  [
    'what a service says, and more',
    [{ id: 0, start: 0, end: 1.5, text: ' Guten Tag. ', tokens: [1] }],
    [{ start: 0, text: 'Guten Tag.' }],
  ],
  [
    'another order',
    [
      { start: 3, text: 'b' },
      { start: 1, text: 'a' },
    ],
    [
      { start: 1, text: 'a' },
      { start: 3, text: 'b' },
    ],
  ],
  [
    'nonsense among them',
    [null, 7, { start: '1', text: 'a' }, { start: -1, text: 'a' }, { start: 2, text: ' ' }, { start: 4, text: 'd' }],
    [{ start: 4, text: 'd' }],
  ],
])('desk: the times of %s', (_name, given, segments) => {
  expect(spokenSegments(given)).toEqual(segments);
});
