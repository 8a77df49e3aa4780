import type { ActiveToken, PresentedToken } from '../repository/token-family.ts';

type ReuseFacts = Readonly<{
  presented: PresentedToken;
  /** The session's only token that is not revoked, if any. */
  active: ActiveToken | undefined;
  now: number;
  reuseIntervalMs: number;
}>;

/**
 * Decides about a presented refresh token (supabase-contract §1.5): a child, the active token again because the answer
 * may have been lost or several tabs refresh at once, or a refusal because it must be stolen.
 */
export function judgeToken(facts: ReuseFacts): 'rotate' | 'same' | 'stolen' {
  const { presented, active } = facts;
  if (!presented.revoked) return 'rotate';
  if (active === undefined) return 'stolen';
  if (active.parent === presented.token) return 'same';
  const usableUntil = presented.updated_at.getTime() + facts.reuseIntervalMs;
  return facts.now <= usableUntil ? 'same' : 'stolen';
}
