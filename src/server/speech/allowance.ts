import { SpeechError, type SpeechErrorCode } from './errors.ts';

export type AllowanceLimits = Readonly<{
  callsPerMinute: number;
  bytesPerMinute: number;
  /** Of one caller, so that one cannot use up everybody's day. */
  callerBytesPerDay: number;
  bytesPerDay: number;
}>;

export type Reservation = Readonly<{
  /** What was really sent to the service, at most what was reserved. */
  settle: (bytes: number) => void;
}>;

export type Allowance = Readonly<{
  /**
   * Reserves before a byte is sent, so that calls at the same time cannot exceed a limit together. `paid`: at the
   * server's cost; a caller's own key (D12) is not counted against the day. Throws SpeechError with Retry-After.
   */
  reserve: (callers: readonly string[], bytes: number, paid: boolean) => Reservation;
}>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const EVERYBODY = '*';

type Count = { calls: number; bytes: number };
type Windowed = Readonly<{ of: (key: string) => Count; retryAfterS: () => number }>;

/** Threat 7: what the service may cost. Counted in this process, in fixed windows (a day is one of UTC). */
export function createAllowance(limits: AllowanceLimits, now: () => number = Date.now): Allowance {
  const minute = countWindow(MINUTE_MS, now);
  const day = countWindow(DAY_MS, now);
  return {
    reserve: (callers, bytes, paid) => {
      for (const caller of callers) {
        const { calls, bytes: used } = minute.of(caller);
        if (calls >= limits.callsPerMinute || used + bytes > limits.bytesPerMinute) refuse('rate_limited', minute);
        if (paid && day.of(caller).bytes + bytes > limits.callerBytesPerDay) refuse('daily_limit_reached', day);
      }
      if (paid && day.of(EVERYBODY).bytes + bytes > limits.bytesPerDay) refuse('daily_limit_reached', day);
      const daily = paid ? [EVERYBODY, ...callers].map((key) => day.of(key)) : [];
      const counts = [...callers.map((key) => minute.of(key)), ...daily];
      for (const count of counts) {
        count.calls += 1;
        count.bytes += bytes;
      }
      return { settle: (sent) => counts.forEach((count) => (count.bytes -= Math.max(0, bytes - sent))) };
    },
  };
}

function refuse(code: SpeechErrorCode, window: Windowed): never {
  throw new SpeechError(code, { retryAfterS: window.retryAfterS() });
}

function countWindow(lengthMs: number, now: () => number): Windowed {
  let current = Number.NaN;
  let counts = new Map<string, Count>();
  return {
    of: (key) => {
      const window = Math.floor(now() / lengthMs);
      if (window !== current) [current, counts] = [window, new Map()];
      const count = counts.get(key) ?? { calls: 0, bytes: 0 };
      counts.set(key, count);
      return count;
    },
    retryAfterS: () => Math.max(1, Math.ceil((lengthMs - (now() % lengthMs)) / 1_000)),
  };
}
