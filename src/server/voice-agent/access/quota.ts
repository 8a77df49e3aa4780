import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { findRefusal, type Load, type Refusal, type CountedSession } from './load.ts';

type Admission = Readonly<{ admitted: true; release: () => void } | { admitted: false; why: Refusal }>;

/** Limits sessions and minutes (threat 7). */
export type Quota = Readonly<{
  /** The reason why `admit` would refuse now; undefined where it would admit. */
  check: (session: CountedSession) => Promise<Refusal | undefined>;
  admit: (session: CountedSession) => Promise<Admission>;
  /** Resolves when all released sessions are counted. */
  close: () => Promise<void>;
}>;

const DAY_MS = 86_400_000;

type Day = { number: number; usage: { subject: string; guest: boolean; ms: number }[] };

/** Counts in this process only. */
export function createQuota(limits: VoiceLimits, clock: Clock): Quota {
  const open = new Set<CountedSession>();
  let day: Day = { number: 0, usage: [] };
  const today = (): Day => {
    const number = Math.floor(clock.now() / DAY_MS);
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
