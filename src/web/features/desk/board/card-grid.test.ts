import { expect, it } from 'vitest';
import { arrowOf, cardAt } from './card-grid.ts';

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
  expect(cardAt(GRID, id, arrow)).toBe(expected);
});

it('desk: other keys are no arrows', () => {
  expect([arrowOf('ArrowUp'), arrowOf('a')]).toEqual(['ArrowUp', undefined]);
});
