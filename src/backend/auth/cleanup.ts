import type { AuthContext } from './context.ts';
import { parseDuration } from './durations.ts';

/** Deletes expired rows in small steps, as upstream does: each round one kind, few rows, without waiting for locks. */
type Cleanup = Readonly<{
  /** Starts a round in the background once the pause since the last one is over. */
  run: () => void;
}>;

const PAUSE_MS = 60_000;
const ROWS = 100;
const DAY = 24 * 3_600_000;

type Rule = Readonly<{ sql: string; olderThanMs: number }>;

const deleteOld = (table: string, condition: string, olderThanMs: number): Rule => ({
  sql: `delete from auth.${table} where id in (
    select id from auth.${table} where ${condition} limit ${ROWS} for update skip locked
  )`,
  olderThanMs,
});

export function createCleanup(context: AuthContext): Cleanup {
  const rules = buildRules(context);
  let next = 0;
  let last = context.now();
  const runNext = async (): Promise<void> => {
    const rule = rules[next % rules.length];
    next += 1;
    if (rule === undefined) return;
    const before = new Date(context.now() - rule.olderThanMs);
    await context.database.asOwner((tx) => tx.query(rule.sql, [before]));
  };
  return {
    run: () => {
      if (context.now() < last + PAUSE_MS) return;
      last = context.now();
      context.background(runNext());
    },
  };
}

function buildRules({ auth }: AuthContext): Rule[] {
  const { timebox, inactivity_timeout: inactivity } = auth.sessions;
  const ended = (duration: string | undefined, column: string): Rule[] => {
    const ms = duration === undefined ? undefined : parseDuration(duration);
    // Kept one day past their end, so that a returning client learns the reason.
    return ms === undefined ? [] : [deleteOld('sessions', `${column} < $1`, ms + DAY)];
  };
  return [
    // Longer than upstream's day: a reused old token must be recognized, so that its family is revoked.
    deleteOld('refresh_tokens', 'revoked and updated_at < $1', 30 * DAY),
    deleteOld('mfa_challenges', 'created_at < $1', DAY),
    deleteOld('mfa_factors', `status = 'unverified' and created_at < $1`, DAY),
    deleteOld('sessions', 'not_after < $1', 3 * DAY),
    ...ended(timebox, 'created_at'),
    ...ended(inactivity, 'coalesce(refreshed_at, created_at)'),
    { sql: `delete from auth.shared_buckets where filled_at < $1`, olderThanMs: DAY },
    ...(auth.enable_anonymous_sign_ins ? [deleteOld('users', 'is_anonymous and created_at < $1', 30 * DAY)] : []),
    // Network addresses are personal data; one year is enough for an investigation.
    deleteOld('audit_log_entries', 'created_at < $1', 365 * DAY),
  ];
}
