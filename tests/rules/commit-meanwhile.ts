import type pg from 'pg';
import { answer, type Scene } from './rules.ts';

/**
 * Commits what the other connection does once the work waits for it, or has ended without. `change`: what the other one
 * does last.
 */
export async function commitMeanwhile<T>(
  scene: Scene,
  other: pg.ClientBase,
  work: () => Promise<T>,
  change = '',
): Promise<T> {
  const pid = Number(await answer(scene, 'select pg_backend_pid() as value'));
  const waits = 'select from pg_locks where pid = $1 and not granted';
  let ended = false;
  const done = work().finally(() => (ended = true));
  while (!ended && (await other.query(waits, [pid])).rowCount === 0);
  await other.query(`${change}; commit`);
  return done;
}

/** What the owner did is undone, so that the other connection may remove what it is about. */
export async function undo<T>(scene: Scene, work: () => Promise<T>): Promise<T> {
  await scene.client.query('savepoint undone');
  try {
    return await work();
  } finally {
    await scene.client.query('rollback to undone; release undone');
  }
}
