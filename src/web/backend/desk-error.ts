import type { DeskFault } from '#contract/desk-files.ts';

/**
 * What can go wrong at the desk, as far as a screen can act on it. unreachable: no answer, or none that can be
 * understood · refused: no administrator, or no longer logged in · missing: no such contribution · conflict: somebody
 * else changed it first · invalid: the database refuses these values.
 */
export type DeskProblem = DeskFault | 'unreachable' | 'refused' | 'missing' | 'conflict' | 'invalid' | 'failed';

/** The screen chooses its words by `problem`. */
export class DeskError extends Error {
  override readonly name = 'DeskError';
  readonly problem: DeskProblem;

  constructor(problem: DeskProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

const RIGHTS: readonly DeskProblem[] = ['refused', 'not_admin', 'not_authenticated', 'second_factor_needed'];

/** Whether whoever asked has no right to (any more), so that asking again is no use. */
export function isRefusal(problem: DeskProblem): boolean {
  return RIGHTS.includes(problem);
}

/** Also of what no repository threw. */
export function getDeskProblem(error: unknown): DeskProblem {
  return error instanceof DeskError ? error.problem : 'failed';
}
