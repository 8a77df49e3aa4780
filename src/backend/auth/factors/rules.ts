import type { AuthError } from '../errors.ts';
import { FACTOR_FAULTS, nameTaken } from './faults.ts';

type Status = Readonly<{ status: 'unverified' | 'verified' }>;

export function hasSecondFactor({ factors }: Readonly<{ factors: readonly Status[] }>): boolean {
  return factors.some(({ status }) => status === 'verified');
}

export type Enrolment = Readonly<{
  /** Those that are left after abandoned ones were deleted. */
  factors: readonly (Status & Readonly<{ friendly_name: string | null }>)[];
  name: string;
  most: number;
  aal: string | null;
}>;

/** Why another factor may not be set up (supabase-contract §1.4); like upstream, two without a name share one: none. */
export function refusedEnrolment({ factors, name, most, aal }: Enrolment): AuthError | undefined {
  if (factors.some((factor) => (factor.friendly_name ?? '') === name)) return nameTaken(name);
  if (factors.length >= most) return FACTOR_FAULTS.tooMany();
  if (hasSecondFactor({ factors }) && aal !== 'aal2') return FACTOR_FAULTS.enrolNeedsAal2();
  return undefined;
}

export type ChallengeFacts = Readonly<{
  verified_at: Date | null;
  same_address: boolean;
  created_at: Date;
}>;

/** Whether a challenge may be answered: once, from where it was asked for, and not for long. */
export function judgeChallenge(
  challenge: ChallengeFacts,
  now: number,
  lifetimeMs: number,
): 'open' | 'elsewhere' | 'expired' {
  if (challenge.verified_at !== null || !challenge.same_address) return 'elsewhere';
  return now > challenge.created_at.getTime() + lifetimeMs ? 'expired' : 'open';
}
