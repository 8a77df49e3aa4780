import { createHash } from 'node:crypto';

const PREPARE_AFTER = 3;
const MAX_COUNTED = 2_000;
const MAX_PREPARED = 250;

/** Returns a name for a text that is prepared, and undefined for any other. */
export type NameStatement = (sql: string) => string | undefined;

/**
 * Prepares statements whose text came a few times. Callers write texts, so the numbers of counted and prepared ones are
 * bounded; above the bound PostgreSQL plans the statement each time. Callers have a bound of their own, so that
 * they do not use up the one of the services.
 */
export function createStatementNames(): NameStatement {
  const counts = new Map<string, number>();
  const prepared = new Map<string, string>();
  return (sql) => {
    const name = prepared.get(sql);
    if (name !== undefined || prepared.size >= MAX_PREPARED) return name;
    const times = (counts.get(sql) ?? 0) + 1;
    if (times >= PREPARE_AFTER) {
      counts.delete(sql);
      prepared.set(sql, createHash('sha256').update(sql).digest('base64url'));
      return prepared.get(sql);
    }
    if (counts.size >= MAX_COUNTED) counts.clear();
    counts.set(sql, times);
    return undefined;
  };
}
