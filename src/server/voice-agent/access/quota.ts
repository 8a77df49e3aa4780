import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { refusalOf, type Load, type Refusal, type Visit } from './load.ts';

type Admission = Readonly<{ admitted: true; leave: () => void } | { admitted: false; why: Refusal }>;

/** Who may talk (threat 7). */
export type Quota = Readonly<{
  /** Why `enter` would refuse now; undefined where it would admit. */
  check: (visit: Visit) => Promise<Refusal | undefined>;
  enter: (visit: Visit) => Promise<Admission>;
  /** Nobody comes any more; resolves when everybody who left is accounted for. */
  close: () => Promise<void>;
}>;

const DAY_MS = 86_400_000;

type Day = { number: number; talked: { subject: string; guest: boolean; ms: number }[] };

/** Counted in this process alone. */
export function createQuota(limits: VoiceLimits, clock: Clock): Quota {
  const open = new Set<Visit>();
  let day: Day = { number: 0, talked: [] };
  const today = (): Day => {
    const number = Math.floor(clock.now() / DAY_MS);
    if (number !== day.number) day = { number, talked: [] };
    return day;
  };
  const refused = (visit: Visit): Refusal | undefined =>
    refusalOf(visit, loadFor(visit, [...open], today().talked), limits);
  const admit = (visit: Visit): (() => void) => {
    const since = clock.now();
    const place = { ...visit };
    open.add(place);
    return () => {
      if (!open.delete(place) || !visit.paid) return;
      addTalk(today(), visit, clock.now() - since);
    };
  };
  return {
    check: async (visit) => refused(visit),
    enter: async (visit) => {
      const why = refused(visit);
      return why === undefined ? { admitted: true, leave: admit(visit) } : { admitted: false, why };
    },
    close: async () => undefined,
  };
}

/** One entry a subject, so that a day holds no more entries than people. */
function addTalk({ talked }: Day, { subject, guest }: Visit, ms: number): void {
  const known = talked.find((one) => one.subject === subject);
  if (known === undefined) talked.push({ subject, guest, ms });
  else known.ms += ms;
}

function loadFor({ subject, network }: Visit, open: readonly Visit[], talked: Day['talked']): Load {
  const count = (counts: (visit: Visit) => boolean): number => open.filter(counts).length;
  const sum = (counts: (talk: Day['talked'][number]) => boolean): number =>
    talked.filter(counts).reduce((ms, talk) => ms + talk.ms, 0);
  return {
    open: {
      own: count((visit) => visit.subject === subject),
      all: open.length,
      paid: count((visit) => visit.paid),
      guests: count((visit) => visit.guest),
      paidGuests: count((visit) => visit.guest && visit.paid),
      guestsOfNetwork: count((visit) => visit.guest && visit.network === network),
    },
    usedMs: { own: sum((talk) => talk.subject === subject), all: sum(() => true), guests: sum((talk) => talk.guest) },
  };
}
