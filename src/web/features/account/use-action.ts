import { useRef, useState } from 'react';
import { useBackend, type BackendClient } from '#web/backend/client.ts';
import type { ActionResult, OwnAccountErrorCode } from '#web/backend/own-account.ts';

type ActionState = Readonly<{ busy: boolean; error?: OwnAccountErrorCode | undefined }>;

/** Runs one action at a time and ignores a second call. `run` returns undefined after a failure and sets `error`. */
export function useAction() {
  const backend = useBackend();
  const running = useRef(false);
  const [state, setState] = useState<ActionState>({ busy: false });
  const run = async <T>(
    action: (backend: BackendClient) => Promise<ActionResult<T>>,
  ): Promise<ActionResult<T> | undefined> => {
    if (running.current) return undefined;
    running.current = true;
    setState({ busy: true });
    const result = await action(backend).catch((): ActionResult<T> => ({ ok: false, code: 'failed' }));
    running.current = false;
    setState({ busy: false, error: result.ok ? undefined : result.code });
    return result.ok ? result : undefined;
  };
  return { ...state, run };
}
