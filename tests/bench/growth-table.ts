/** Costs in ms of each measure, in the order of `sizes`. */
export type Series = Readonly<{
  of: string;
  sizes: readonly number[];
  costs: readonly (readonly [what: string, ms: readonly number[]])[];
}>;

/** n log n between a thousand and a million, as an exponent. */
export const MOST = 1.15;

/** The slope of the line through the logarithms: 0 where the cost does not grow, 1 where it grows as the size does. */
export function fitExponent(sizes: readonly number[], costs: readonly number[]): number {
  const points = sizes.map((size, index) => [Math.log(size), Math.log(costs[index] ?? Number.NaN)] as const);
  const mean = (axis: 0 | 1): number => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const spread = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0) / spread;
}

/** A table for docs/performance.md. The last step is what tells a bend that small sizes hide. */
export function formatGrowth({ of, sizes, costs }: Series): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const head = [`ms, by ${of}`, ...sizes.map(formatSize), 'exponent', 'last step'];
  const body = costs.map(([what, ms]) => {
    const exponents = [fitExponent(sizes, ms), fitExponent(sizes.slice(-2), ms.slice(-2))];
    return line([what, ...ms.map(formatMs), ...exponents.map((value) => formatExponent(value))]);
  });
  return line(head) + line(head.map(() => '---')) + body.join('');
}

function formatExponent(value: number): string {
  return `${value.toFixed(2)}${value > MOST ? ' (!)' : ''}`;
}

function formatSize(size: number): string {
  return size.toLocaleString('en');
}

function formatMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en');
}
