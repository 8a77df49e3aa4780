import { describe, expect, test } from 'vitest';
import type { AuthError } from '../errors.ts';
import type { AuthContext } from '../context.ts';
import { checkEnrolment, hasSecondFactor, judgeChallenge, requireEnabled } from './rules.ts';

const factor = (status: 'unverified' | 'verified', friendly_name: string | null = null) => ({ status, friendly_name });

test('Only a verified factor is a second factor (contract §1.4)', () => {
  expect(hasSecondFactor({ factors: [] })).toBe(false);
  expect(hasSecondFactor({ factors: [factor('unverified')] })).toBe(false);
  expect(hasSecondFactor({ factors: [factor('unverified'), factor('verified')] })).toBe(true);
});

describe('Another factor (contract §1.4)', () => {
  test.each([
    ['the first one', [], 'Handy', 2, 'aal1', undefined],
    ['one beside an unverified one', [factor('unverified', 'Alt')], 'Handy', 2, 'aal1', undefined],
    ['one with a taken name', [factor('unverified', 'Handy')], 'Handy', 9, 'aal2', 'mfa_factor_name_conflict'],
    ['one without a name beside another without', [factor('verified')], '', 9, 'aal2', 'mfa_factor_name_conflict'],
    ['one with a name beside one without', [factor('verified')], 'Handy', 9, 'aal2', undefined],
    ['one too many', [factor('unverified', 'Alt')], 'Handy', 1, 'aal2', 'too_many_enrolled_mfa_factors'],
    ['one without the code of the first', [factor('verified', 'Alt')], 'Handy', 9, 'aal1', 'insufficient_aal'],
    ['one of a session without a level', [factor('verified', 'Alt')], 'Handy', 9, null, 'insufficient_aal'],
    ['one with the code of the first', [factor('verified', 'Alt')], 'Handy', 9, 'aal2', undefined],
    ['a taken name before the limit', [factor('verified', 'Handy')], 'Handy', 1, 'aal1', 'mfa_factor_name_conflict'],
    ['the limit before the level', [factor('verified', 'Alt')], 'Handy', 1, 'aal1', 'too_many_enrolled_mfa_factors'],
  ])('%s', (_what, factors, name, max, aal, code) => {
    expect(checkEnrolment({ factors, name, max, aal })?.code).toBe(code);
  });
});

describe('The answer to a challenge (contract §1.4)', () => {
  const NOW = Date.UTC(2026, 0, 1, 12);
  const LIFE_MS = 300_000;
  const challenge = { verified_at: null, same_address: true, created_at: new Date(NOW) };
  test.each([
    ['at once', {}, 0, 'open'],
    ['in the last millisecond', {}, LIFE_MS, 'open'],
    ['a millisecond later', {}, LIFE_MS + 1, 'expired'],
    ['from another address', { same_address: false }, 0, 'not-answerable'],
    ['a second time', { verified_at: new Date(NOW) }, 0, 'not-answerable'],
    ['a second time and too late', { verified_at: new Date(NOW) }, LIFE_MS + 1, 'not-answerable'],
  ])('%s', (_when, facts, afterMs, verdict) => {
    expect(judgeChallenge({ ...challenge, ...facts }, NOW + afterMs, LIFE_MS)).toBe(verdict);
  });
});

type Switch = Readonly<{ enroll_enabled: boolean; verify_enabled: boolean }>;

function project(switches: Readonly<Partial<Record<'totp' | 'phone' | 'web_authn', Switch>>>, smsEnabled: boolean) {
  const on: Switch = { enroll_enabled: true, verify_enabled: true };
  const mfa = { totp: on, phone: on, web_authn: on, ...switches };
  return { auth: { mfa }, sms: { enabled: smsEnabled } } as unknown as Pick<AuthContext, 'auth' | 'sms'>;
}

function refusal(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return (error as AuthError).code;
  }
}

describe('[auth.mfa] switches enrolment and verification of a kind by themselves', () => {
  const ENROL_ONLY: Switch = { enroll_enabled: true, verify_enabled: false };
  const VERIFY_ONLY: Switch = { enroll_enabled: false, verify_enabled: true };
  test.each([
    ['totp', {}, false, undefined, undefined],
    ['webauthn', {}, false, undefined, undefined],
    ['phone', {}, true, undefined, undefined],
    ['phone', {}, false, 'mfa_phone_enroll_not_enabled', 'mfa_phone_verify_not_enabled'],
    ['totp', { totp: ENROL_ONLY }, true, undefined, 'mfa_totp_verify_not_enabled'],
    ['totp', { totp: VERIFY_ONLY }, true, 'mfa_totp_enroll_not_enabled', undefined],
    ['webauthn', { web_authn: VERIFY_ONLY }, true, 'mfa_webauthn_enroll_not_enabled', undefined],
    ['webauthn', { totp: VERIFY_ONLY }, true, undefined, undefined],
    ['phone', { phone: ENROL_ONLY }, true, undefined, 'mfa_phone_verify_not_enabled'],
  ] as const)('%s with %j, messages: %s', (type, switches, smsEnabled, enrolment, verification) => {
    const context = project(switches, smsEnabled);
    expect(refusal(() => requireEnabled(context, type, 'enroll'))).toBe(enrolment);
    expect(refusal(() => requireEnabled(context, type, 'verify'))).toBe(verification);
  });
});
