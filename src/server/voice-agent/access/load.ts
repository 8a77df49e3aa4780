import type { VoiceLimits } from '../settings.ts';

/** A session as the quota counts it. */
export type CountedSession = Readonly<{
  /** One user, or one interview key. */
  subject: string;
  /** Whether it uses a paid service: only paid minutes count. */
  paid: boolean;
  /** Without a login; counted by network, because anyone can create any number of interview keys. */
  guest: boolean;
  /** The network the session comes from: an IPv4 address, or the /64 of an IPv6 address. */
  network: string;
}>;

/** Open sessions and used minutes of today, without the new session. */
export type Load = Readonly<{
  open: Readonly<{
    own: number;
    all: number;
    paid: number;
    guests: number;
    paidGuests: number;
    guestsOfNetwork: number;
  }>;
  usedMs: Readonly<{ own: number; all: number; guests: number }>;
}>;

export type Refusal = 'sessions-of-user' | 'sessions-of-network' | 'capacity';

const MINUTE_MS = 60_000;

/** Checks all limits (threat 7); undefined where the session may begin. */
export function findRefusal(
  { paid, guest }: CountedSession,
  { open, usedMs }: Load,
  limits: VoiceLimits,
): Refusal | undefined {
  if (open.own >= limits.sessionsPerUser) return 'sessions-of-user';
  if (guest && open.guestsOfNetwork >= limits.guestSessionsPerNetwork) return 'sessions-of-network';
  if (open.all >= limits.sessions) return 'capacity';
  if (guest && open.guests >= limits.sessions - reserveForMembers(limits.sessions, limits)) return 'capacity';
  if (!paid) return undefined;
  const dayMs = limits.minutesPerDay * MINUTE_MS;
  // A share for each subject, at least two whole conversations: one user cannot use up the day of all.
  const shareMs = Math.max(dayMs / 4, 2 * limits.lengthMs);
  // A running conversation counts at its greatest length, so that many at once cannot pass the cap.
  const promised = usedMs.all + (open.paid + 1) * limits.lengthMs;
  const own = usedMs.own + (open.own + 1) * limits.lengthMs;
  if (promised > dayMs || own > shareMs) return 'capacity';
  const guestsMs = Math.max(dayMs - reserveForMembers(dayMs, limits), limits.lengthMs);
  const promisedGuests = usedMs.guests + (open.paidGuests + 1) * limits.lengthMs;
  return guest && promisedGuests > guestsMs ? 'capacity' : undefined;
}

/** The part reserved for members; zero where there is too little to share. */
function reserveForMembers(all: number, { membersShare }: VoiceLimits): number {
  return Math.floor(all * membersShare);
}
