import { describe, expect, test } from 'vitest';
import { AuthConfig } from '../config.ts';
import { hashPassword, passwordMatches, validatePassword, type PasswordRules } from './passwords.ts';

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

describe('Words of the context (ASVS 6.1.2, 6.2.11)', () => {
  const auth = AuthConfig.parse({ password: { context_words: ['VDI', 'interview', 'firma'] } });
  const listed: PasswordRules = { auth, leaked: async () => false };

  test.each(['Interview2026!', '1nterv1ew-2026', 'VDI-Interview-99', 'firma firma firma', 'interviewABC'])(
    '%s is hardly more than listed words',
    async (password) => {
      await expect(validatePassword(password, listed)).rejects.toMatchObject({ code: 'weak_password' });
      expect(await validatePassword(password, rules(6))).toBeUndefined();
    },
  );

  test.each(['Kranich im Interview', '8f3k2j9d1l-vdi', 'Zwiebelfirmament'])('%s has more to it', async (password) =>
    expect(await validatePassword(password, listed)).toBeUndefined(),
  );
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
])('%s is refused', async (password, auth, error) => {
  await expect(validatePassword(password, auth)).rejects.toEqual(expect.objectContaining(error));
});

test.each([
  ['sechs6', rules(6, 'letters_digits')],
  ['Sechs6', rules(6, 'lower_upper_letters_digits')],
  ['Sechs6!', rules(6, 'lower_upper_letters_digits_symbols')],
  ['ä'.repeat(36), rules(6)],
])('%s is accepted', async (password, auth) => expect(await validatePassword(password, auth)).toBeUndefined());
