import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROWS = readFileSync('docs/experience.md', 'utf8')
  .split('\n')
  .filter((line) => /^\| U\d+ /.test(line));

/** The tests that a row names: `file` › part of a title. */
const findNamed = (row: string) =>
  (row.split(' | ').at(-1) ?? '')
    .replace(/ \|$/, '')
    .split('; ')
    .map((named) => {
      const [, file = '', title = ''] = /^`([^`]+)` › (.+)$/.exec(named.trim()) ?? [];
      return { file, title };
    });

test('Every observation from U1 to U16 has its row', () => {
  expect(ROWS.map((row) => /^\| (U\d+) /.exec(row)?.[1])).toEqual(Array.from({ length: 16 }, (_, at) => `U${at + 1}`));
});

test.each(ROWS.map((row) => [/^\| (U\d+) /.exec(row)?.[1], findNamed(row)] as const))(
  'The tests named for %s exist',
  (_name, named) => {
    expect(named.length).toBeGreaterThan(0);
    for (const { file, title } of named) expect(readFileSync(file, 'utf8')).toContain(title);
  },
);
