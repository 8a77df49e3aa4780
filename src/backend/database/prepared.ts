import { createHash } from 'node:crypto';

/**
 * Which statements are worth keeping on the server: those whose text came a few times. Callers write the texts, so both
 * what is watched and what is kept is bounded; past the bound a statement is planned each time, as it would be anyway.
 */
const WORTH_KEEPING = 3;
const MAX_WATCHED = 2_000;
const MAX_KEPT = 250;

const watched = new Map<string, number>();
const kept = new Map<string, string>();

/** Name under which to prepare this text, or undefined where it shall not be kept. */
export function statementName(sql: string): string | undefined {
  const name = kept.get(sql);
  if (name !== undefined || kept.size >= MAX_KEPT) return name;
  const times = (watched.get(sql) ?? 0) + 1;
  if (times >= WORTH_KEEPING) {
    watched.delete(sql);
    kept.set(sql, createHash('sha256').update(sql).digest('base64url'));
    return kept.get(sql);
  }
  if (watched.size >= MAX_WATCHED) watched.clear();
  watched.set(sql, times);
  return undefined;
}
