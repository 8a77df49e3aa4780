import { describe, expect, it } from 'vitest';
import { findCardBeside, findNextFocus, parseArrow } from './use-item-links.ts';

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
] as const)('Desk: from card %i, %s leads to %s', (id, arrow, expected) => {
  expect(findCardBeside(GRID, id, arrow)).toBe(expected);
});

it('Desk: parses no other key as an arrow', () => {
  expect([parseArrow('ArrowUp'), parseArrow('a')]).toEqual(['ArrowUp', undefined]);
});

const COLUMNS = [[1], [2, 3, 4], [], [5]];

describe('Desk: a removed row or card leaves the focus to', () => {
  it.each<[string, number, readonly number[], number | undefined]>([
    ['itself in its new place', 3, [1, 2, 3, 4, 5], 3],
    ['the card below', 3, [1, 2, 4, 5], 4],
    ['the next remaining card', 2, [1, 4, 5], 4],
    ['the card above if it was the last', 4, [1, 2, 3, 5], 3],
    ['the column to the right if it was alone', 1, [2, 3, 4, 5], 2],
    ['the column to the left if there is none to the right', 5, [1, 2, 3, 4], 2],
    ['nothing if no card is left', 3, [], undefined],
    ['any card if its place is unknown', 9, [3, 5], 3],
  ])('%s', (_name, removed, left, expected) => {
    expect(findNextFocus(COLUMNS, removed, (id) => left.includes(id))).toBe(expected);
  });
});
