import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string): string => readFileSync(file, 'utf8');
const findAll = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);

test('No two tests take the picture of one name, and each picture of docs/screens has a test that takes it', () => {
  const visited = findAll(read('tests/e2e/screens.ts'), /\bname: '([a-z-]+)'/g);
  const led = globSync('tests/e2e/*.ts').flatMap((file) => findAll(read(file), /\bpicture\(\w+, '([a-z-]+)'/g));
  const taken = [...visited, ...led];
  expect(taken.filter((name, at) => taken.indexOf(name) !== at)).toEqual([]);
  const shown = findAll(read('docs/screens/README.md'), /\(([a-z-]+)\.webp\)/g);
  expect(shown.length).toBeGreaterThan(20);
  expect(shown.filter((name) => !taken.includes(name))).toEqual([]);
});
