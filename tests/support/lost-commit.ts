import pg from 'pg';
import { vi } from 'vitest';
import { StatementGroup } from '#backend/database/statement-group.ts';

/**
 * The next commit on a connection that sent such a statement takes place, but its answer is lost. Returns a function
 * that ends this and says whether it happened.
 */
export function loseNextCommit(statement: RegExp): () => boolean {
  const original: (...given: unknown[]) => unknown = Reflect.get(pg.Client.prototype, 'query');
  const writers = new WeakSet<pg.Client>();
  let lost = false;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const [group] = given;
    if (group instanceof StatementGroup) {
      const texts = group.entries.map((entry) => entry.statement.text);
      if (texts.some((text) => statement.test(text))) writers.add(this);
      if (texts.includes('commit') && writers.has(this) && !lost) {
        lost = true;
        group.handleReadyForQuery = () => group.handleError(new Error('Connection terminated unexpectedly'));
      }
    }
    return Reflect.apply(original, this, given);
  });
  return () => {
    spy.mockRestore();
    return lost;
  };
}
