import type { Clock } from '../clock.ts';
import type { VoiceLimits } from '../settings.ts';

type Admission = Readonly<
  { admitted: true; leave: () => void } | { admitted: false; why: 'sessions-of-user' | 'capacity' }
>;

/** Who talks now, and how long was talked today (security.md row 7). */
export type Quota = Readonly<{
  /** Whether `enter` would admit. */
  check: (visit: Visit) => Exclude<Admission, { admitted: true }> | undefined;
  enter: (visit: Visit) => Admission;
}>;

type Visit = Readonly<{
  /** One user, or one interview key. */
  subject: string;
  /** Whether a service that costs money takes part: only such minutes count. */
  paid: boolean;
}>;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export function createQuota(limits: VoiceLimits, clock: Clock): Quota {
  const open = new Map<string, number>();
  let all = 0;
  let allPaid = 0;
  const dayMs = limits.minutesPerDay * MINUTE_MS;
  /** One subject's share, so that one cannot use up everybody's day; two whole conversations at least. */
  const shareMs = Math.max(dayMs / 4, 2 * limits.lengthMs);
  let day = { number: 0, usedMs: 0, by: new Map<string, number>() };
  const today = (): typeof day => {
    const number = Math.floor(clock.now() / DAY_MS);
    if (number !== day.number) day = { number, usedMs: 0, by: new Map() };
    return day;
  };
  const check: Quota['check'] = ({ subject, paid }) => {
    if ((open.get(subject) ?? 0) >= limits.sessionsPerUser) return { admitted: false, why: 'sessions-of-user' };
    // A running conversation is counted at its greatest length, so that many at once cannot pass the cap together.
    const promised = today().usedMs + (allPaid + 1) * limits.lengthMs;
    const own = (today().by.get(subject) ?? 0) + ((open.get(subject) ?? 0) + 1) * limits.lengthMs;
    const spent = paid && (promised > dayMs || own > shareMs);
    return spent || all >= limits.sessions ? { admitted: false, why: 'capacity' } : undefined;
  };
  const enter = ({ subject, paid }: Visit): Admission => {
    const refused = check({ subject, paid });
    if (refused !== undefined) return refused;
    const since = clock.now();
    let inside = true;
    all += 1;
    if (paid) allPaid += 1;
    open.set(subject, (open.get(subject) ?? 0) + 1);
    return {
      admitted: true,
      leave: () => {
        if (!inside) return;
        inside = false;
        all -= 1;
        const left = (open.get(subject) ?? 1) - 1;
        if (left === 0) open.delete(subject);
        else open.set(subject, left);
        if (!paid) return;
        allPaid -= 1;
        const { by } = today();
        const talkedMs = clock.now() - since;
        day.usedMs += talkedMs;
        by.set(subject, (by.get(subject) ?? 0) + talkedMs);
      },
    };
  };
  return { check, enter };
}
