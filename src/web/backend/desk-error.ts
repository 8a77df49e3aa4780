import type { DeskErrorCode } from '#contract/desk-files.ts';

/**
 * Errors of the desk that a screen can act on.
 * unreachable: no valid answer · refused: not an administrator or an expired session · missing: no such contribution ·
 * conflict: another administrator changed it first · invalid: the database refuses the values.
 */
export type DeskProblem = DeskErrorCode | 'unreachable' | 'refused' | 'missing' | 'conflict' | 'invalid' | 'failed';

/** The screen chooses its text by `problem`. */
export class DeskError extends Error {
  override readonly name = 'DeskError';
  readonly problem: DeskProblem;

  constructor(problem: DeskProblem, options?: ErrorOptions) {
    super(problem, options);
    this.problem = problem;
  }
}

const RIGHTS: readonly DeskProblem[] = ['refused', 'not_admin', 'not_authenticated', 'second_factor_needed'];

/** Whether the account lacks the right, so that a retry is useless. */
export function isRefusal(problem: DeskProblem): boolean {
  return RIGHTS.includes(problem);
}

/** Maps any thrown value; an unknown one is 'failed'. */
export function getDeskProblem(error: unknown): DeskProblem {
  return error instanceof DeskError ? error.problem : 'failed';
}
