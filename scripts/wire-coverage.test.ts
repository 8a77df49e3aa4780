import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/** The page names tests by file: in `tests/wire` without a folder, browser tests as `e2e/…`, others by their path. */
function placesOf(name: string): string[] {
  if (name.startsWith('src/')) return [name];
  return [`tests/wire/${name}.test.ts`, `tests/${name}.spec.ts`, `tests/${name}.test.ts`];
}

test('docs/wire-coverage.md names only tests that exist', async () => {
  const page = await readFile('docs/wire-coverage.md', 'utf8');
  const cells = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.split('|')[2] ?? '');
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] ?? ''));
  const tests = names.filter((name) => !['tests/wire', 'unsupported_grant_type'].includes(name));
  expect(tests.length).toBeGreaterThan(30);
  expect(tests.filter((name) => !placesOf(name).some((place) => existsSync(place)))).toEqual([]);
});
