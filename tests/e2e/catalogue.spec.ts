import { globSync, readFileSync } from 'node:fs';
import { expect, test } from './application.ts';

test('The catalogue of the design system is not in the build', () => {
  const files = globSync('dist/web/**/*.{html,js,css}');
  expect(files.length).toBeGreaterThan(10);
  expect(
    files.filter((file) => /catalogue/i.test(file) || readFileSync(file, 'utf8').includes('UI catalogue')),
  ).toEqual([]);
});
