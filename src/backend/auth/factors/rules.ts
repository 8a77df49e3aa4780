import type { AuthContext } from '../context.ts';
import { AuthError, defineError } from '../errors.ts';
import type { ChallengeRow, FactorType } from '../repository/factors.ts';

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

/**
 * Checks whether a challenge may be answered: once, from the address that requested it, and before it expires. Upstream
 * answers one that was answered before like one from another address (supabase-contract §1.4).
 */
export function judgeChallenge(
  challenge: Pick<ChallengeRow, 'verified_at' | 'same_address' | 'created_at'>,
  now: number,
  lifetimeMs: number,
): 'open' | 'not-answerable' | 'expired' {
  if (challenge.verified_at !== null || !challenge.same_address) return 'not-answerable';
  return now > challenge.created_at.getTime() + lifetimeMs ? 'expired' : 'open';
}

type Switches = Pick<AuthContext, 'auth' | 'sms'>;

const NAMES: Readonly<Record<FactorType, string>> = { totp: 'TOTP', phone: 'Phone', webauthn: 'WebAuthn' };
const STEPS = { enroll: 'enroll', verify: 'verification' } as const;

/**
 * Throws AuthError where `[auth.mfa]` disables enrolment, or challenges and verification, of this kind. A phone factor
 * also needs an SMS provider.
 */
export function requireEnabled({ auth, sms }: Switches, type: FactorType, step: keyof typeof STEPS): void {
  const { totp, phone, web_authn: webauthn } = auth.mfa;
  if ({ totp, phone, webauthn }[type][`${step}_enabled`] && (type !== 'phone' || sms.enabled)) return;
  throw new AuthError(422, `mfa_${type}_${step}_not_enabled`, `MFA ${STEPS[step]} is disabled for ${NAMES[type]}`);
}

export const MAX_NAME_LENGTH = 255;

/** Errors of second factors in upstream's words (supabase-contract §1.4). */
export const FACTOR_ERRORS = {
  anonymous: defineError(403, 'no_authorization', 'Anonymous user not allowed to perform these actions'),
  badId: defineError(404, 'validation_failed', 'factor_id must be an UUID'),
  notFound: defineError(404, 'mfa_factor_not_found', 'Factor not found'),
  unknownType: defineError(400, 'validation_failed', 'factor_type needs to be totp, phone, or webauthn'),
  tooMany: defineError(
    422,
    'too_many_enrolled_mfa_factors',
    'Maximum number of verified factors reached, unenroll to continue',
  ),
  enrolNeedsLogin: defineError(400, 'reauthentication_needed', 'Setting up a factor requires a recent login'),
  enrolNeedsAal2: defineError(403, 'insufficient_aal', 'AAL2 required to enroll a new factor'),
  unenrolNeedsAal2: defineError(422, 'insufficient_aal', 'AAL2 required to unenroll verified factor'),
  updateNeedsAal2: defineError(
    401,
    'insufficient_aal',
    'AAL2 session is required to update email or password when MFA is enabled.',
  ),
  phoneNeeded: defineError(400, 'validation_failed', 'Phone number required to enroll Phone factor'),
  phoneVerified: defineError(
    422,
    'mfa_verified_factor_exists',
    'A verified phone factor already exists, unenroll the existing factor to continue',
  ),
  badChannel: defineError(400, 'validation_failed', "Invalid channel, supported values are 'sms'"),
  challengeNotFound: defineError(422, 'mfa_factor_not_found', 'MFA factor with the provided challenge ID not found'),
  addressMismatch: defineError(422, 'mfa_ip_address_mismatch', 'Challenge and verify IP addresses mismatch.'),
  emptyCode: defineError(400, 'validation_failed', 'Code needs to be non-empty'),
  webAuthnNeeded: defineError(400, 'validation_failed', 'WebAuthn config required'),
  webAuthnType: defineError(400, 'validation_failed', 'WebAuthn type must be create or request'),
  badResponse: defineError(400, 'validation_failed', 'Invalid credential_response'),
} as const;

export function nameTaken(name: string): AuthError {
  const message = `A factor with the friendly name "${name}" for this user already exists`;
  return new AuthError(422, 'mfa_factor_name_conflict', message);
}

const WRONG: Readonly<Record<FactorType, string>> = {
  totp: 'Invalid TOTP code entered',
  phone: 'Invalid MFA Phone code entered',
  webauthn: 'Invalid MFA WebAuthn response',
};

export function verificationFailed(type: FactorType): AuthError {
  return new AuthError(422, 'mfa_verification_failed', WRONG[type]);
}

export function challengeExpired(id: string): AuthError {
  const advice = 'verify against another challenge or create a new challenge.';
  return new AuthError(422, 'mfa_challenge_expired', `MFA challenge ${id} has expired, ${advice}`);
}
