import type { Clock } from '#server/voice-agent/clock.ts';

export type TestClock = Clock & Readonly<{ advance: (ms: number) => void }>;

/** Time that passes only when the test says so. */
export function testClock(): TestClock {
  let now = 0;
  let timers: { at: number; work: () => void }[] = [];
  return {
    now: () => now,
    after: (ms, work) => {
      const timer = { at: now + Math.max(0, ms), work };
      timers.push(timer);
      return () => void (timers = timers.filter((one) => one !== timer));
    },
    advance: (ms) => {
      const until = now + ms;
      for (;;) {
        const due = timers.filter((one) => one.at <= until).toSorted((a, b) => a.at - b.at)[0];
        if (due === undefined) break;
        timers = timers.filter((one) => one !== due);
        now = due.at;
        due.work();
      }
      now = until;
    },
  };
}
