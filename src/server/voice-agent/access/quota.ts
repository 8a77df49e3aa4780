import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';
import { refusalOf, type Load, type Refusal, type Visit } from './load.ts';

type Admission = Readonly<{ admitted: true; leave: () => void } | { admitted: false; why: Refusal }>;

/** Who may talk (security.md row 7). */
export type Quota = Readonly<{
  /** Why `enter` would refuse now; undefined where it would admit. */
  check: (visit: Visit) => Promise<Refusal | undefined>;
  enter: (visit: Visit) => Promise<Admission>;
  /** Nobody comes any more; resolves when everybody who left is accounted for. */
  close: () => Promise<void>;
}>;

const DAY_MS = 86_400_000;

/** Counted in this process alone. */
export function createQuota(limits: VoiceLimits, clock: Clock): Quota {
  const open = new Map<string, number>();
  let all = 0;
  let paidOpen = 0;
  let day = { number: 0, usedMs: 0, by: new Map<string, number>() };
  const today = (): typeof day => {
    const number = Math.floor(clock.now() / DAY_MS);
    if (number !== day.number) day = { number, usedMs: 0, by: new Map() };
    return day;
  };
  const loadFor = (subject: string): Load => ({
    open: { own: open.get(subject) ?? 0, all, paid: paidOpen },
    usedMs: { own: today().by.get(subject) ?? 0, all: today().usedMs },
  });
  const refused = (visit: Visit): Refusal | undefined => refusalOf(visit, loadFor(visit.subject), limits);
  const admit = ({ subject, paid }: Visit): (() => void) => {
    const since = clock.now();
    let inside = true;
    all += 1;
    if (paid) paidOpen += 1;
    open.set(subject, (open.get(subject) ?? 0) + 1);
    return () => {
      if (!inside) return;
      inside = false;
      all -= 1;
      const left = (open.get(subject) ?? 1) - 1;
      if (left === 0) open.delete(subject);
      else open.set(subject, left);
      if (!paid) return;
      paidOpen -= 1;
      const { by } = today();
      const talkedMs = clock.now() - since;
      day.usedMs += talkedMs;
      by.set(subject, (by.get(subject) ?? 0) + talkedMs);
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
