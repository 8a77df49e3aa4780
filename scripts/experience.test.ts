import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROWS = readFileSync('docs/experience.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| [US]\d+ /.test(line));

/** The tests that a row names: `file` › part of a title. */
const findNamed = (row: string) =>
  (row.split(' | ').at(-1) ?? '')
    .replace(/ \|$/, '')
    .split('; ')
    .map((named) => {
      const [, file = '', title = ''] = /^`([^`]+)` › (.+)$/.exec(named.trim()) ?? [];
      return { file, title };
    });

const NAMES = ROWS.map((row) => /^\| ([US]\d+) /.exec(row)?.[1]);
const count = (letter: string, length: number) => Array.from({ length }, (_, at) => `${letter}${at + 1}`);

test('Every observation from U1 to U16 has its row, and so has every sentence', () => {
  expect(NAMES).toEqual([...count('U', 16), ...count('S', 21)]);
});

test.each(ROWS.map((row, at) => [NAMES[at], findNamed(row)] as const))(
  'The tests named for %s exist',
  (_name, named) => {
    expect(named.length).toBeGreaterThan(0);
    for (const { file, title } of named) expect(readFileSync(file, 'utf8')).toContain(title);
  },
);
