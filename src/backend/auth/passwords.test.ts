import { expect, test } from 'vitest';
import type { ProjectConfig } from '../config.ts';
import { checkPassword, hashPassword, passwordMatches } from './passwords.ts';

const rules = (minimum_password_length: number, password_requirements = ''): ProjectConfig['auth'] =>
  ({ minimum_password_length, password_requirements }) as ProjectConfig['auth'];

test('§1.6 bcrypt, cost 10; only the same password matches', async () => {
  const stored = await hashPassword('geheim');
  expect(stored).toMatch(/^\$2[aby]\$10\$/);
  expect([await passwordMatches('geheim', stored), await passwordMatches('Geheim', stored)]).toEqual([true, false]);
});

test('without a hash nothing matches', async () => {
  for (const stored of [undefined, null, '', 'kein Hash']) expect(await passwordMatches('', stored)).toBe(false);
});

test.each([
  ['kurz', rules(6), { code: 'weak_password', extra: { weak_password: { reasons: ['length'] } } }],
  [
    'nurbuchstaben',
    rules(6, 'letters_digits'),
    { code: 'weak_password', extra: { weak_password: { reasons: ['characters'] } } },
  ],
  [
    'abc',
    rules(6, 'lower_upper_letters_digits_symbols'),
    { extra: { weak_password: { reasons: ['length', 'characters'] } } },
  ],
  ['ä'.repeat(37), rules(6), { code: 'validation_failed' }],
])('%s is refused', (password, auth, fault) => {
  expect(() => checkPassword(password, auth)).toThrow(expect.objectContaining(fault));
});

test.each([
  ['sechs6', rules(6, 'letters_digits')],
  ['Sechs6', rules(6, 'lower_upper_letters_digits')],
  ['Sechs6!', rules(6, 'lower_upper_letters_digits_symbols')],
  ['ä'.repeat(36), rules(6)],
])('%s is accepted', (password, auth) => expect(() => checkPassword(password, auth)).not.toThrow());
