import { describe, expect, it } from 'vitest';
import { fitExponent, formatGrowth } from './growth-table.ts';

describe('growth of a cost', () => {
  const sizes = [1_000, 10_000, 100_000];

  it.each([
    ['stays', () => 7, 0],
    ['grows as the size', (size: number) => 3 * size, 1],
    ['grows as its root', (size: number) => Math.sqrt(size), 0.5],
    ['grows as its square', (size: number) => size ** 2, 2],
  ])('Finds the exponent of a cost that %s', (_, cost, exponent) => {
    expect(fitExponent(sizes, sizes.map(cost))).toBeCloseTo(exponent, 6);
  });

  it('Marks what grows faster than n log n, also where only the last step does', () => {
    const table = formatGrowth({
      of: 'rows',
      sizes,
      costs: [
        ['fine', [1, 10, 100]],
        ['bends', [20, 20, 400]],
      ],
    });
    expect(table.split('\n').slice(2, 4)).toEqual([
      '| fine | 1.0 | 10 | 100 | 1.00 | 1.00 |',
      '| bends | 20 | 20 | 400 | 0.65 | 1.30 (!) |',
    ]);
  });
});
