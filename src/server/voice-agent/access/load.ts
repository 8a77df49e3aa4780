import type { VoiceLimits } from '../settings.ts';

/** Who wants to talk. */
export type Visit = Readonly<{
  /** One user, or one interview key. */
  subject: string;
  /** Whether a service that costs money takes part: only such minutes count. */
  paid: boolean;
}>;

/** Who talks now, and how long was talked today, before this visit. */
export type Load = Readonly<{
  open: Readonly<{ own: number; all: number; paid: number }>;
  usedMs: Readonly<{ own: number; all: number }>;
}>;

export type Refusal = 'sessions-of-user' | 'capacity';

const MINUTE_MS = 60_000;

/** security.md row 7. Undefined: the visit may begin. */
export function refusalOf({ paid }: Visit, { open, usedMs }: Load, limits: VoiceLimits): Refusal | undefined {
  if (open.own >= limits.sessionsPerUser) return 'sessions-of-user';
  if (open.all >= limits.sessions) return 'capacity';
  if (!paid) return undefined;
  const dayMs = limits.minutesPerDay * MINUTE_MS;
  /** One subject's share, so that one cannot use up everybody's day; two whole conversations at least. */
  const shareMs = Math.max(dayMs / 4, 2 * limits.lengthMs);
  // A running conversation is counted at its greatest length, so that many at once cannot pass the cap together.
  const promised = usedMs.all + (open.paid + 1) * limits.lengthMs;
  const own = usedMs.own + (open.own + 1) * limits.lengthMs;
  return promised > dayMs || own > shareMs ? 'capacity' : undefined;
}
