import type { CheckedPart, CheckFindings, PartCheck } from '#contract/setup-parts.ts';
import { SetupError } from '../setup-error.ts';
import { describeFailure, removeSecrets } from './check-errors.ts';

/** Runs one check of a part at a time and keeps the last one, so that a page that was left finds it again. */
export type CheckRunner = Readonly<{
  read: (part: CheckedPart) => Readonly<{ isChecking: boolean; check: PartCheck | null }>;
  /** Rejects only with SetupError `check_running`. */
  run: (part: CheckedPart, work: (signal: AbortSignal) => Promise<CheckFindings>) => Promise<PartCheck>;
}>;

/** Shorter than a proxy waits for an answer (docs/operations.md). */
const DEADLINE_MS = 50_000;

export function createCheckRunner(secrets: readonly string[], stopping: AbortSignal): CheckRunner {
  const running = new Set<CheckedPart>();
  const checks = new Map<CheckedPart, PartCheck>();
  return {
    read: (part) => ({ isChecking: running.has(part), check: checks.get(part) ?? null }),
    run: async (part, work) => {
      if (running.has(part)) throw new SetupError('check_running');
      running.add(part);
      try {
        const check = await runCheck(work, secrets, stopping);
        checks.set(part, check);
        return check;
      } finally {
        running.delete(part);
      }
    },
  };
}

type Outcome = Omit<PartCheck, 'at' | 'seconds'>;

async function runCheck(
  work: (signal: AbortSignal) => Promise<CheckFindings>,
  secrets: readonly string[],
  stopping: AbortSignal,
): Promise<PartCheck> {
  const begun = performance.now();
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(DEADLINE_MS)]);
  const outcome: Outcome = await Promise.race([work(signal), rejectOnAbort(signal)]).then(
    (findings) => ({ code: null, reason: null, findings }),
    (error: unknown) => ({ ...describeFailure(error), findings: {} }),
  );
  const { reason, findings } = outcome;
  return {
    ...outcome,
    at: new Date().toISOString(),
    seconds: (performance.now() - begun) / 1_000,
    reason: reason === null ? null : removeSecrets(reason, secrets),
    findings: findings.text === undefined ? findings : { ...findings, text: removeSecrets(findings.text, secrets) },
  };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const MINUTE_MS = 60_000;

/** Counts checks of an administrator in the last minute. Returns whether one more is allowed. */
export function createCheckLimit(perMinute: number, now: () => number = Date.now): (admin: string) => boolean {
  const times = new Map<string, readonly number[]>();
  return (admin) => {
    const since = now() - MINUTE_MS;
    for (const [id, list] of times) if ((list.at(-1) ?? 0) <= since) times.delete(id);
    const recent = (times.get(admin) ?? []).filter((at) => at > since);
    if (recent.length >= perMinute) return false;
    times.set(admin, [...recent, now()]);
    return true;
  };
}
