import { useBackend, type BackendClient } from '#web/backend/client.ts';
import type { ActionResult, OwnAccountErrorCode } from '#web/backend/own-account.ts';
import { useAction } from '#web/backend/server-state.tsx';

/** A failed request of the own account; the screen has a text for each `problem`. */
class OwnAccountError extends Error {
  override readonly name = 'OwnAccountError';
  readonly problem: OwnAccountErrorCode;

  constructor(problem: OwnAccountErrorCode) {
    super(problem);
    this.problem = problem;
  }
}

/** Throws OwnAccountError for a failed request. */
export function unwrap<T>(result: ActionResult<T>): T {
  if (result.ok) return result.value;
  throw new OwnAccountError(result.code);
}

/** Maps any thrown value; an unknown one is 'failed'. */
export function getAccountError(error: Error | null): OwnAccountErrorCode | undefined {
  if (error === null) return undefined;
  return error instanceof OwnAccountError ? error.problem : 'failed';
}

type AccountAction = (backend: BackendClient) => Promise<ActionResult>;

/** Runs one action at a time; `run` returns whether it succeeded. */
export function useAccountAction() {
  const backend = useBackend();
  const { run, busy, error } = useAction({
    mutationFn: async (action: AccountAction) => unwrap(await action(backend)),
  });
  return { run, busy, error: getAccountError(error) };
}
