import { describe, expect, it } from 'vitest';
import {
  type FactorState,
  getFactorState,
  type RoleState,
  type SessionEvent,
  sessionReducer,
  type SessionState,
  sessionUser,
} from './session-state.ts';

const user = sessionUser({ id: 'u1', email: 'mara@firma-a.example' });
const other = sessionUser({ id: 'u2', email: 'ben@firma-b.example' });
const initialising: SessionState = { status: 'initialising' };
const out: SessionState = { status: 'signed-out', left: false };
const left: SessionState = { status: 'signed-out', left: true };
const known: RoleState = { status: 'known', role: 'firma_a', remembered: false };
const remembered: RoleState = { status: 'known', role: 'firma_a', remembered: true };

function signedIn(role: RoleState, recovery = false, factor: FactorState = 'none'): SessionState {
  return { status: 'signed-in', user, role, recovery, factor };
}

const loading = signedIn({ status: 'loading' });
const none = signedIn({ status: 'none' });
const unreachable = signedIn({ status: 'unreachable' });

type Row = readonly [string, SessionState, SessionEvent, SessionState];

const ROWS: readonly Row[] = [
  ['INITIAL_SESSION without a session', initialising, { type: 'session', user: null }, out],
  ['INITIAL_SESSION with a session', initialising, { type: 'session', user }, loading],
  ['SIGNED_IN', out, { type: 'session', user }, loading],
  ['SIGNED_IN again keeps the role', signedIn(known), { type: 'session', user }, signedIn(known)],
  [
    'SIGNED_IN as somebody else asks for the role again',
    signedIn(known),
    { type: 'session', user: other },
    { ...loading, user: other } as SessionState,
  ],
  ['SIGNED_OUT by the backend or another tab', signedIn(known), { type: 'session', user: null }, out],
  ['SIGNED_OUT after the logout does not forget that it was one', left, { type: 'session', user: null }, left],
  ['PASSWORD_RECOVERY', out, { type: 'session', user, recovery: true }, signedIn({ status: 'loading' }, true)],
  ['TOKEN_REFRESHED during a recovery', signedIn(known, true), { type: 'session', user }, signedIn(known, true)],
  [
    'a new password ends the recovery',
    signedIn(known, true),
    { type: 'session', user, recovery: false },
    signedIn(known),
  ],
  [
    'a second factor is due',
    out,
    { type: 'session', user, factor: 'due' },
    signedIn({ status: 'loading' }, false, 'due'),
  ],
  [
    'MFA_CHALLENGE_VERIFIED',
    signedIn(known, false, 'due'),
    { type: 'session', user, factor: 'shown' },
    signedIn(known, false, 'shown'),
  ],
  ['logout', signedIn(known), { type: 'logout' }, left],
  ['the login screen is reached', left, { type: 'arrived' }, out],
  ['a role', loading, { type: 'role', userId: 'u1', answer: { kind: 'role', role: 'firma_a' } }, signedIn(known)],
  ['no role', loading, { type: 'role', userId: 'u1', answer: { kind: 'none' } }, none],
  [
    'a role given meanwhile',
    none,
    { type: 'role', userId: 'u1', answer: { kind: 'role', role: 'firma_a' } },
    signedIn(known),
  ],
  ['a role taken meanwhile', signedIn(known), { type: 'role', userId: 'u1', answer: { kind: 'none' } }, none],
  ['a late answer about somebody else', loading, { type: 'role', userId: 'u2', answer: { kind: 'none' } }, loading],
  ['an answer after the logout', left, { type: 'role', userId: 'u1', answer: { kind: 'none' } }, left],
  [
    'unreachable, role remembered',
    loading,
    { type: 'role', userId: 'u1', answer: { kind: 'unreachable', lastKnown: 'firma_a' } },
    signedIn(remembered),
  ],
  [
    'unreachable, nothing remembered',
    loading,
    { type: 'role', userId: 'u1', answer: { kind: 'unreachable', lastKnown: undefined } },
    unreachable,
  ],
  [
    'unreachable later keeps what is known',
    signedIn(known),
    { type: 'role', userId: 'u1', answer: { kind: 'unreachable', lastKnown: undefined } },
    signedIn(known),
  ],
  [
    'the role last named, until the answer',
    loading,
    { type: 'role-remembered', userId: 'u1', role: 'admin' },
    signedIn({ status: 'known', role: 'admin', remembered: true }),
  ],
  [
    'no memory against an answer',
    signedIn(known),
    { type: 'role-remembered', userId: 'u1', role: 'admin' },
    signedIn(known),
  ],
  ['nobody else’s memory', loading, { type: 'role-remembered', userId: 'somebody-else', role: 'admin' }, loading],
  ['another attempt', unreachable, { type: 'role-retry' }, loading],
  ['no attempt where a role is known', signedIn(known), { type: 'role-retry' }, signedIn(known)],
];

describe('§4 Authentication', () => {
  it.each(ROWS)('%s', (_name, before, event, after) => {
    expect(sessionReducer(before, event)).toEqual(after);
  });
});

describe('§3 logged-in user view', () => {
  it.each([
    ['mara.vogt@firma-a.example', 'mara.vogt'],
    ['@firma-a.example', 'benutzer'],
    ['', 'benutzer'],
    [undefined, 'benutzer'],
  ])('%s is %s', (email, username) => {
    expect(sessionUser({ id: 'u1', email }).username).toBe(username);
  });
});

const token = (claims: object): string =>
  `h.${btoa(JSON.stringify(claims)).replaceAll('+', '-').replaceAll('/', '_')}.s`;
const account = { id: 'u', aud: '', app_metadata: {}, user_metadata: {}, created_at: '' };
const factor = (status: 'verified' | 'unverified') =>
  ({ id: 'f', status, factor_type: 'totp', created_at: '', updated_at: '' }) as const;

it.each([
  ['a factor not shown yet', token({ aal: 'aal1' }), [factor('verified')], 'due'],
  ['umlauts in the token', token({ aal: 'aal2', n: '\u00FF\u00FE\u00FD' }), [factor('verified')], 'shown'],
  ['a factor that was shown', token({ aal: 'aal2' }), [factor('verified')], 'shown'],
  ['one that was never confirmed', token({ aal: 'aal1' }), [factor('unverified')], 'none'],
  ['no factor', token({ aal: 'aal1' }), [], 'none'],
  ['no list', token({ aal: 'aal1' }), undefined, 'none'],
  ['an unreadable token', 'x', [factor('verified')], 'due'],
])('%s: %# (contract §1.4)', (_name, access_token, factors, state) => {
  expect(getFactorState({ access_token, user: { ...account, ...(factors && { factors: [...factors] }) } })).toBe(state);
});

it('Asks for no second factor without a session', () => {
  expect(getFactorState(null)).toBe('shown');
});
