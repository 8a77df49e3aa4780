import { expect, it } from 'vitest';
import { secondFactorDue } from './assurance.ts';

const token = (claims: object): string =>
  `h.${btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_')}.s`;
const user = { id: 'u', aud: '', app_metadata: {}, user_metadata: {}, created_at: '' };
const factor = (status: 'verified' | 'unverified') =>
  ({ id: 'f', status, factor_type: 'totp', created_at: '', updated_at: '' }) as const;

it.each([
  ['a factor not shown yet', token({ aal: 'aal1' }), [factor('verified')], true],
  ['umlauts in the token', token({ aal: 'aal1', n: '\u00FF\u00FE\u00FD' }), [factor('verified')], true],
  ['a factor that was shown', token({ aal: 'aal2' }), [factor('verified')], false],
  ['one that was never confirmed', token({ aal: 'aal1' }), [factor('unverified')], false],
  ['no factor', token({ aal: 'aal1' }), [], false],
  ['no list', token({ aal: 'aal1' }), undefined, false],
  ['a token nobody can read', 'x', [factor('verified')], false],
])('§1.4 %s: due %#', (_name, access_token, factors, due) => {
  expect(secondFactorDue({ access_token, user: { ...user, ...(factors && { factors: [...factors] }) } })).toBe(due);
});

it('nobody is asked for one without a session', () => {
  expect(secondFactorDue(null)).toBe(false);
});
