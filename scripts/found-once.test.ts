import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const SECTION = 'What was broken once, and what notices it now';

const count = (letter: string, last: number): string[] =>
  Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
const WANTED = [
  ...count('T', 10),
  ...count('F', 10).toSpliced(2, 0, 'F2b'),
  ...count('R', 9),
  ...count('S', 17),
  ...count('C', 13),
  ...count('M', 6),
  ...count('L', 3),
  ...count('B', 550),
];

const text = readFileSync('docs/reliability.md', 'utf8').split(`## ${SECTION}\n`)[1]?.split('\n## ')[0] ?? '';
const rows = [...text.matchAll(/^\| ([A-Z]\d+b?) \| (.+?) \| (.+) \|$/gm)].map(([, number = '', , notice = '']) => ({
  number,
  notice,
}));

test('Every weakness that was found once has one row', () => {
  expect(rows.map(({ number }) => number)).toEqual(WANTED);
});

test.each(rows)('$number names a test that exists, or the decision that leaves it', ({ notice }) => {
  const files = [...notice.matchAll(/`((?:src|tests|scripts)\/[\w./-]+)`(?: "([^"]+)")?/g)];
  const decisions = [...notice.matchAll(/\]\((decisions\/[\w./-]+)\)/g)];
  expect(notice.startsWith('stays: ') ? decisions.length : files.length).toBeGreaterThan(0);
  expect(decisions.filter(([, file = '']) => !existsSync(`docs/${file}`))).toEqual([]);
  for (const [, file = '', words = ''] of files) expect(readFileSync(file, 'utf8'), file).toContain(words);
});
