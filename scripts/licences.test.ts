import { expect, test } from 'vitest';
import { EXCEPTIONS, isPermissive, productionPackages, unclearPackages } from './licences.ts';

const PACKAGES = productionPackages('package-lock.json');

test('Every package of production has a permissive licence or a stated exception', () => {
  expect(PACKAGES.length).toBeGreaterThan(100);
  expect(unclearPackages(PACKAGES)).toEqual([]);
});

test('No exception outlives its package', () => {
  const names = new Set(PACKAGES.map(({ name }) => name));
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.has(name))).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['(Apache-2.0 AND BSD-3-Clause)', true],
  ['(MIT AND GPL-3.0-only)', false],
  ['GPL-3.0-only', false],
  ['MPL-2.0', false],
  ['SEE LICENSE IN LICENSE', false],
  ['(MIT OR ISC) AND GPL-3.0-only', false],
])('Reads the licence %s as permissive: %s', (expression, expected) => {
  expect(isPermissive(expression)).toBe(expected);
});

test('Names a package without a licence or with a strict one', () => {
  const packages = [
    { name: 'eins', version: '1.0.0', licence: undefined },
    { name: 'zwei', version: '1.0.0', licence: 'AGPL-3.0-only' },
    { name: 'drei', version: '1.0.0', licence: 'ISC' },
    { name: 'lightningcss-linux-x64-gnu', version: '1.0.0', licence: 'MPL-2.0' },
  ];
  expect(unclearPackages(packages).map(({ name }) => name)).toEqual(['eins', 'zwei']);
});
