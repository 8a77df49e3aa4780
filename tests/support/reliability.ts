import { readFile, writeFile } from 'node:fs/promises';

const REPORT = 'docs/reliability.md';

/** Replaces the table between the marks `<!-- name: begin -->` and `<!-- name: end -->` of `docs/reliability.md`. */
export async function writeSection(
  name: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<void> {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const table = [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [before, rest] = (await readFile(REPORT, 'utf8')).split(begin);
  const after = rest?.split(end)[1];
  if (after === undefined) throw new Error(`${REPORT} has no place for ${name}`);
  await writeFile(REPORT, `${before}${begin}\n\n${table}\n\n${end}${after}`);
}
