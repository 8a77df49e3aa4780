import { describe, expect, it } from 'vitest';
import { heirOf } from './heir.ts';

const GRID = [[1], [2, 3, 4], [], [5]];

describe('desk: a row or card that goes leaves the focus to', () => {
  it.each<[string, number, readonly number[], number | undefined]>([
    ['itself, where it stands elsewhere now', 3, [1, 2, 3, 4, 5], 3],
    ['the one below', 3, [1, 2, 4, 5], 4],
    ['the next one that is left', 2, [1, 4, 5], 4],
    ['the one above, where it was the last', 4, [1, 2, 3, 5], 3],
    ['the column to the right, where it was alone', 1, [2, 3, 4, 5], 2],
    ['the column to the left, where there is none to the right', 5, [1, 2, 3, 4], 2],
    ['nobody, where nothing is left', 3, [], undefined],
    ['anybody, where nobody knows where it stood', 9, [3, 5], 3],
  ])('%s', (_name, gone, left, heir) => {
    expect(heirOf(GRID, gone, (id) => left.includes(id))).toBe(heir);
  });
});
