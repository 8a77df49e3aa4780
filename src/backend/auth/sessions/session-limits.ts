import type { SessionFloors } from '../repository/rotate-token.ts';
import type { SessionRow } from '../repository/sessions.ts';

export type SessionLimits = Readonly<{
  timeboxMs: number | undefined;
  inactivityMs: number | undefined;
  /** How long a session may lack a second factor that its user has. */
  lowAalMs: number | undefined;
}>;

export type SessionState = 'valid' | 'expired' | 'inactive' | 'low-aal';

/**
 * The same limits as moments, for PostgreSQL to judge. Stricter in one point: a session at aal1 counts as lacking a
 * factor even where its user has none; `refreshUnderLock` then decides.
 */
export function getFloors({ timeboxMs, inactivityMs, lowAalMs }: SessionLimits, now: number): SessionFloors {
  const before = (ms: number | undefined): Date | undefined => (ms === undefined ? undefined : new Date(now - ms));
  return { created: before(timeboxMs), used: before(inactivityMs), createdAtAal1: before(lowAalMs) };
}

/** `secondFactor`: whether the user has one. */
export function judgeSession(
  session: SessionRow,
  limits: SessionLimits,
  { now, secondFactor }: Readonly<{ now: number; secondFactor: boolean }>,
): SessionState {
  const started = session.created_at.getTime();
  const waits = secondFactor && session.aal !== 'aal2';
  if (session.not_after !== null && now > session.not_after.getTime()) return 'expired';
  if (limits.timeboxMs !== undefined && now > started + limits.timeboxMs) return 'expired';
  if (limits.inactivityMs !== undefined && now > getLastUse(session) + limits.inactivityMs) return 'inactive';
  if (limits.lowAalMs !== undefined && waits && now > started + limits.lowAalMs) return 'low-aal';
  return 'valid';
}

/** Returns the fixed end of the session in milliseconds since 1970, or Infinity. */
export function getSessionEnd(session: SessionRow, timeboxMs: number | undefined): number {
  const boxed = timeboxMs === undefined ? Infinity : session.created_at.getTime() + timeboxMs;
  return Math.min(boxed, session.not_after?.getTime() ?? Infinity);
}

/** Milliseconds since 1970. */
export function getLastUse({ refreshed_at: refreshed, created_at: created }: SessionRow): number {
  return (refreshed ?? created).getTime();
}
