import type { AuthContext } from '../context.ts';
import type { FactorType } from '../records/factors.ts';
import { enrolDisabled, verifyDisabled } from './faults.ts';

type Switches = Pick<AuthContext, 'auth' | 'sms'>;

/** Throws AuthError where `[auth.mfa]` does not let this kind be set up; a phone needs somebody who sends messages. */
export function requireEnrolment({ auth, sms }: Switches, type: FactorType): void {
  const enabled = kind(auth.mfa, type).enroll_enabled && (type !== 'phone' || sms.enabled);
  if (!enabled) throw enrolDisabled(type);
}

/** The same for asking and answering. */
export function requireVerification({ auth, sms }: Switches, type: FactorType): void {
  const enabled = kind(auth.mfa, type).verify_enabled && (type !== 'phone' || sms.enabled);
  if (!enabled) throw verifyDisabled(type);
}

function kind(mfa: AuthContext['auth']['mfa'], type: FactorType) {
  return { totp: mfa.totp, phone: mfa.phone, webauthn: mfa.web_authn }[type];
}
