import { expect, it } from 'vitest';
import { factorStateOf } from './assurance.ts';

const token = (claims: object): string =>
  `h.${btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_')}.s`;
const user = { id: 'u', aud: '', app_metadata: {}, user_metadata: {}, created_at: '' };
const factor = (status: 'verified' | 'unverified') =>
  ({ id: 'f', status, factor_type: 'totp', created_at: '', updated_at: '' }) as const;

it.each([
  ['a factor not shown yet', token({ aal: 'aal1' }), [factor('verified')], 'due'],
  ['umlauts in the token', token({ aal: 'aal2', n: '\u00FF\u00FE\u00FD' }), [factor('verified')], 'shown'],
  ['a factor that was shown', token({ aal: 'aal2' }), [factor('verified')], 'shown'],
  ['one that was never confirmed', token({ aal: 'aal1' }), [factor('unverified')], 'none'],
  ['no factor', token({ aal: 'aal1' }), [], 'none'],
  ['no list', token({ aal: 'aal1' }), undefined, 'none'],
  ['a token nobody can read', 'x', [factor('verified')], 'due'],
])('contract §1.4 %s: %#', (_name, access_token, factors, state) => {
  expect(factorStateOf({ access_token, user: { ...user, ...(factors && { factors: [...factors] }) } })).toBe(state);
});

it('nobody is asked for one without a session', () => {
  expect(factorStateOf(null)).toBe('shown');
});
