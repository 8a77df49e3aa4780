import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';

export type Admission = Readonly<{ admitted: true; release: () => void } | { admitted: false; why: Refusal }>;

/** Limits sessions and minutes (threat 7). */
export type Quota = Readonly<{
  /** The reason why `admit` would refuse now; undefined where it would admit. */
  check: (session: CountedSession) => Promise<Refusal | undefined>;
  admit: (session: CountedSession) => Promise<Admission>;
  /** Releases what is still admitted. Resolves when all released sessions are counted. */
  close: () => Promise<void>;
}>;

const DAY_MS = 86_400_000;

type Day = { number: number; usage: { subject: string; guest: boolean; ms: number }[] };

/** Counts in this process only. A day is one of UTC: the clock of conversations begins with the process. */
export function createQuota(limits: VoiceLimits, clock: Clock): Quota {
  const open = new Set<CountedSession>();
  let day: Day = { number: 0, usage: [] };
  const today = (): Day => {
    const number = Math.floor(Date.now() / DAY_MS);
    if (number !== day.number) day = { number, usage: [] };
    return day;
  };
  const check = (session: CountedSession): Refusal | undefined =>
    findRefusal(session, getLoad(session, [...open], today().usage), limits);
  const track = (session: CountedSession): (() => void) => {
    const since = clock.now();
    const tracked = { ...session };
    open.add(tracked);
    return () => {
      if (!open.delete(tracked) || !session.paid) return;
      addUsage(today(), session, clock.now() - since);
    };
  };
  return {
    check: async (session) => check(session),
    admit: async (session) => {
      const why = check(session);
      return why === undefined ? { admitted: true, release: track(session) } : { admitted: false, why };
    },
    close: async () => undefined,
  };
}

/** Keeps one entry for each subject. */
function addUsage({ usage }: Day, { subject, guest }: CountedSession, ms: number): void {
  const known = usage.find((one) => one.subject === subject);
  if (known === undefined) usage.push({ subject, guest, ms });
  else known.ms += ms;
}

function getLoad({ subject, network }: CountedSession, open: readonly CountedSession[], usage: Day['usage']): Load {
  const count = (counts: (session: CountedSession) => boolean): number => open.filter(counts).length;
  const sum = (counts: (entry: Day['usage'][number]) => boolean): number =>
    usage.filter(counts).reduce((ms, entry) => ms + entry.ms, 0);
  return {
    open: {
      own: count((session) => session.subject === subject),
      all: open.length,
      paid: count((session) => session.paid),
      guests: count((session) => session.guest),
      paidGuests: count((session) => session.guest && session.paid),
      guestsOfNetwork: count((session) => session.guest && session.network === network),
    },
    usedMs: {
      own: sum((entry) => entry.subject === subject),
      all: sum(() => true),
      guests: sum((entry) => entry.guest),
    },
  };
}

/** A session as the quota counts it. */
export type CountedSession = Readonly<{
  /** One user, or one interview key. */
  subject: string;
  /** Whether it asks a service that may cost money (`usesPaidService`): only such minutes count. */
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

type Refusal = 'sessions-of-user' | 'sessions-of-network' | 'capacity' | 'minutes';

const MINUTE_MS = 60_000;

/** Checks all limits (threat 7); undefined where the session may begin. `minutes`: not before the next day. */
export function findRefusal(session: CountedSession, { open, usedMs }: Load, limits: VoiceLimits): Refusal | undefined {
  const { paid, guest } = session;
  if (open.own >= limits.sessionsPerUser) return 'sessions-of-user';
  if (guest && open.guestsOfNetwork >= limits.guestSessionsPerNetwork) return 'sessions-of-network';
  if (open.all >= limits.sessions) return 'capacity';
  if (guest && open.guests >= limits.sessions - reserveForMembers(limits.sessions, limits)) return 'capacity';
  if (!paid || hasMinutes(guest, open, usedMs, limits)) return undefined;
  return hasMinutes(guest, { own: 0, paid: 0, paidGuests: 0 }, usedMs, limits) ? 'capacity' : 'minutes';
}

type Running = Pick<Load['open'], 'own' | 'paid' | 'paidGuests'>;

/** A running conversation counts at its greatest length, so that many at once cannot pass the cap. */
function hasMinutes(guest: boolean, open: Running, usedMs: Load['usedMs'], limits: VoiceLimits): boolean {
  const dayMs = limits.minutesPerDay * MINUTE_MS;
  // A share for each subject, at least two whole conversations: one user cannot use up the day of all.
  const shareMs = Math.max(dayMs / 4, 2 * limits.lengthMs);
  const guestsMs = Math.max(dayMs - reserveForMembers(dayMs, limits), limits.lengthMs);
  return (
    usedMs.all + (open.paid + 1) * limits.lengthMs <= dayMs &&
    usedMs.own + (open.own + 1) * limits.lengthMs <= shareMs &&
    (!guest || usedMs.guests + (open.paidGuests + 1) * limits.lengthMs <= guestsMs)
  );
}

/** The part reserved for members; zero where there is too little to share. */
function reserveForMembers(all: number, { membersShare }: VoiceLimits): number {
  return Math.floor(all * membersShare);
}
