import { expect, test } from 'vitest';
import { AuthConfig } from '../config.ts';
import {
  validatePassword,
  createConcurrencyLimit,
  hashPassword,
  passwordMatches,
  type PasswordRules,
} from './passwords.ts';

const rules = (minimum_password_length: number, password_requirements = ''): PasswordRules => ({
  auth: AuthConfig.parse({ minimum_password_length, password_requirements }),
  leaked: async (password) => password === 'ist geleakt',
});

test('Hashes with bcrypt, cost 10, and matches only the same password (contract §1.6)', async () => {
  const stored = await hashPassword('geheim');
  expect(stored).toMatch(/^\$2[aby]\$10\$/);
  expect([await passwordMatches('geheim', stored), await passwordMatches('Geheim', stored)]).toEqual([true, false]);
});

test('Matches nothing without a hash', async () => {
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
  ['ist geleakt', rules(20), { extra: { weak_password: { reasons: ['length', 'pwned'] } } }],
  ['ä'.repeat(37), rules(6), { code: 'validation_failed' }],
])('%s is refused', async (password, auth, fault) => {
  await expect(validatePassword(password, auth)).rejects.toEqual(expect.objectContaining(fault));
});

test.each([
  ['sechs6', rules(6, 'letters_digits')],
  ['Sechs6', rules(6, 'lower_upper_letters_digits')],
  ['Sechs6!', rules(6, 'lower_upper_letters_digits_symbols')],
  ['ä'.repeat(36), rules(6)],
])('%s is accepted', async (password, auth) => expect(await validatePassword(password, auth)).toBeUndefined());

test('Limits concurrent tasks in order of arrival, also after a failure', async () => {
  const limit = createConcurrencyLimit(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number): Promise<number> =>
    limit(async () => {
      begun.push(index);
      await new Promise<void>((resolve) => void (ends[index] = resolve));
      if (index === 1) throw new Error('failed');
      return index;
    });
  const all = Promise.allSettled([0, 1, 2, 3, 4].map(work));
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  ends[0]?.();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  ends[2]?.();
  ends[3]?.();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4]);
  ends[4]?.();
  expect((await all).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
});
