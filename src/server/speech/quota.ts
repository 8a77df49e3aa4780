import { SpeechError, type SpeechErrorCode } from './errors.ts';

export type TranscriptionLimits = Readonly<{
  callsPerMinute: number;
  bytesPerMinute: number;
  /** A share for each caller: one caller cannot use up the day of all. */
  callerBytesPerDay: number;
  bytesPerDay: number;
}>;

export type Reservation = Readonly<{
  /** Replaces the reserved bytes by those sent to the service, if they are fewer. */
  commit: (bytes: number) => void;
}>;

export type TranscriptionQuota = Readonly<{
  /**
   * Reserves before a byte is sent, so that simultaneous calls cannot exceed a limit together. `paid`: the server's key
   * pays; a caller's own key (D12) is not counted against the day. Throws SpeechError with Retry-After.
   */
  reserve: (callers: readonly string[], bytes: number, paid: boolean) => Reservation;
}>;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ALL_CALLERS = '*';

type Count = { calls: number; bytes: number };
type CountWindow = Readonly<{ get: (key: string) => Count; retryAfterS: () => number }>;

/** Caps what the service may cost (threat 7). Counts in this process, in fixed windows; a day is one of UTC. */
export function createTranscriptionQuota(
  limits: TranscriptionLimits,
  now: () => number = Date.now,
): TranscriptionQuota {
  const minute = createCountWindow(MINUTE_MS, now);
  const day = createCountWindow(DAY_MS, now);
  return {
    reserve: (callers, bytes, paid) => {
      for (const caller of callers) {
        const { calls, bytes: used } = minute.get(caller);
        if (calls >= limits.callsPerMinute || used + bytes > limits.bytesPerMinute) refuse('rate_limited', minute);
        if (paid && day.get(caller).bytes + bytes > limits.callerBytesPerDay) refuse('daily_limit_reached', day);
      }
      if (paid && day.get(ALL_CALLERS).bytes + bytes > limits.bytesPerDay) refuse('daily_limit_reached', day);
      const daily = paid ? [ALL_CALLERS, ...callers].map((key) => day.get(key)) : [];
      const counts = [...callers.map((key) => minute.get(key)), ...daily];
      for (const count of counts) {
        count.calls += 1;
        count.bytes += bytes;
      }
      return { commit: (sent) => counts.forEach((count) => (count.bytes -= Math.max(0, bytes - sent))) };
    },
  };
}

function refuse(code: SpeechErrorCode, window: CountWindow): never {
  throw new SpeechError(code, { retryAfterS: window.retryAfterS() });
}

function createCountWindow(lengthMs: number, now: () => number): CountWindow {
  let current = Number.NaN;
  let counts = new Map<string, Count>();
  return {
    get: (key) => {
      const window = Math.floor(now() / lengthMs);
      if (window !== current) [current, counts] = [window, new Map()];
      const count = counts.get(key) ?? { calls: 0, bytes: 0 };
      counts.set(key, count);
      return count;
    },
    retryAfterS: () => Math.max(1, Math.ceil((lengthMs - (now() % lengthMs)) / 1_000)),
  };
}
