import type { VoiceLimits } from '../settings.ts';

/** Who wants to talk. */
export type Visit = Readonly<{
  /** One user, or one interview key. */
  subject: string;
  /** Whether a service that costs money takes part: only such minutes count. */
  paid: boolean;
  /** Without a login: there are as many interview keys as one likes. */
  guest: boolean;
  /** The network the visit comes from: an IPv4 address, or the /64 of an IPv6 address. */
  network: string;
}>;

/** Who talks now, and how long was talked today, before this visit. */
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

/** Threat 7. Undefined: the visit may begin. */
export function refusalOf({ paid, guest }: Visit, { open, usedMs }: Load, limits: VoiceLimits): Refusal | undefined {
  if (open.own >= limits.sessionsPerUser) return 'sessions-of-user';
  if (guest && open.guestsOfNetwork >= limits.guestSessionsPerNetwork) return 'sessions-of-network';
  if (open.all >= limits.sessions) return 'capacity';
  if (guest && open.guests >= limits.sessions - membersPart(limits.sessions, limits)) return 'capacity';
  if (!paid) return undefined;
  const dayMs = limits.minutesPerDay * MINUTE_MS;
  /** One subject's share, so that one cannot use up everybody's day; two whole conversations at least. */
  const shareMs = Math.max(dayMs / 4, 2 * limits.lengthMs);
  // A running conversation is counted at its greatest length, so that many at once cannot pass the cap together.
  const promised = usedMs.all + (open.paid + 1) * limits.lengthMs;
  const own = usedMs.own + (open.own + 1) * limits.lengthMs;
  if (promised > dayMs || own > shareMs) return 'capacity';
  const guestsMs = Math.max(dayMs - membersPart(dayMs, limits), limits.lengthMs);
  const promisedGuests = usedMs.guests + (open.paidGuests + 1) * limits.lengthMs;
  return guest && promisedGuests > guestsMs ? 'capacity' : undefined;
}

/** What guests leave to members; nothing where there is too little to share. */
function membersPart(all: number, { membersShare }: VoiceLimits): number {
  return Math.floor(all * membersShare);
}
