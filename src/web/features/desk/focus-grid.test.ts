import { describe, expect, it } from 'vitest';
import { findCardBeside, findNextFocus, parseArrow } from './focus-grid.ts';

const GRID = [[1, 2, 3], [], [4], [5, 6]];

it.each([
  [1, 'ArrowDown', 2],
  [3, 'ArrowDown', undefined],
  [1, 'ArrowUp', undefined],
  [2, 'ArrowUp', 1],
  [3, 'ArrowRight', 4],
  [4, 'ArrowLeft', 1],
  [4, 'ArrowRight', 5],
  [6, 'ArrowLeft', 4],
  [6, 'ArrowRight', undefined],
  [9, 'ArrowDown', undefined],
] as const)('desk: on the board from card %i, %s: %s', (id, arrow, expected) => {
  expect(findCardBeside(GRID, id, arrow)).toBe(expected);
});

it('desk: other keys are no arrows', () => {
  expect([parseArrow('ArrowUp'), parseArrow('a')]).toEqual(['ArrowUp', undefined]);
});

const COLUMNS = [[1], [2, 3, 4], [], [5]];

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
    expect(findNextFocus(COLUMNS, gone, (id) => left.includes(id))).toBe(heir);
  });
});
