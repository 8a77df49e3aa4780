import type { AuthContext } from '../context.ts';
import type { AuthError } from '../errors.ts';
import type { FactorType } from '../repository/factors.ts';
import { enrolDisabled, FACTOR_ERRORS, nameTaken, verifyDisabled } from './errors.ts';

type Status = Readonly<{ status: 'unverified' | 'verified' }>;

export function hasSecondFactor({ factors }: Readonly<{ factors: readonly Status[] }>): boolean {
  return factors.some(({ status }) => status === 'verified');
}

type Enrolment = Readonly<{
  /** The factors after the abandoned ones were deleted. */
  factors: readonly (Status & Readonly<{ friendly_name: string | null }>)[];
  name: string;
  max: number;
  aal: string | null;
}>;

/**
 * Returns the reason against another factor (supabase-contract §1.4). Like upstream, two factors without a name share
 * the empty name.
 */
export function checkEnrolment({ factors, name, max, aal }: Enrolment): AuthError | undefined {
  if (factors.some((factor) => (factor.friendly_name ?? '') === name)) return nameTaken(name);
  if (factors.length >= max) return FACTOR_ERRORS.tooMany();
  if (hasSecondFactor({ factors }) && aal !== 'aal2') return FACTOR_ERRORS.enrolNeedsAal2();
  return undefined;
}

type ChallengeFacts = Readonly<{
  verified_at: Date | null;
  same_address: boolean;
  created_at: Date;
}>;

/** Checks whether a challenge may be answered: once, from the address that requested it, and before it expires. */
export function judgeChallenge(
  challenge: ChallengeFacts,
  now: number,
  lifetimeMs: number,
): 'open' | 'elsewhere' | 'expired' {
  if (challenge.verified_at !== null || !challenge.same_address) return 'elsewhere';
  return now > challenge.created_at.getTime() + lifetimeMs ? 'expired' : 'open';
}

type Switches = Pick<AuthContext, 'auth' | 'sms'>;

/** Throws AuthError where `[auth.mfa]` disables enrolment of this kind. A phone factor also needs an SMS provider. */
export function requireEnrolment({ auth, sms }: Switches, type: FactorType): void {
  const enabled = getSwitches(auth.mfa, type).enroll_enabled && (type !== 'phone' || sms.enabled);
  if (!enabled) throw enrolDisabled(type);
}

/** Throws AuthError where `[auth.mfa]` disables challenges and verification of this kind. */
export function requireVerification({ auth, sms }: Switches, type: FactorType): void {
  const enabled = getSwitches(auth.mfa, type).verify_enabled && (type !== 'phone' || sms.enabled);
  if (!enabled) throw verifyDisabled(type);
}

function getSwitches(mfa: AuthContext['auth']['mfa'], type: FactorType) {
  return { totp: mfa.totp, phone: mfa.phone, webauthn: mfa.web_authn }[type];
}
