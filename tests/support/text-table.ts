/** Cells in columns as wide as their longest, for a terminal. */
export function textTable(head: readonly string[], body: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...body.map((cells) => (cells[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`;
  return [head, ...body].map(line).join('');
}
