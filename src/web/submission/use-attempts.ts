import { useRef, useState } from 'react';
import type { BackendStatusHandle } from './use-backend-status.ts';
import { useResume } from './use-resume.ts';

/**
 * How an attempt to hand something in ended: nothing more to do · not delivered · not delivered for want of a
 * connection.
 */
export type Ending = 'over' | 'failed' | 'unreachable';

type AttemptsOptions<T> = Readonly<{
  backendStatus: BackendStatusHandle;
  /** Whether the screen could begin another attempt now. */
  idle: boolean;
  send: (input: T) => Promise<Ending>;
}>;

/** Makes one attempt at a time and ignores others meanwhile. Continues by itself once the connection is back. */
export function useAttempts<T>({ backendStatus, idle, send }: AttemptsOptions<T>) {
  const busy = useRef(false);
  const [unsent, setUnsent] = useState<Readonly<{ input: T; stopped: boolean }>>();
  const attempt = async (input: T, work: (input: T) => Promise<Ending>): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setUnsent(undefined);
    try {
      const ending = await work(input);
      if (ending !== 'over') setUnsent({ input, stopped: ending === 'unreachable' });
    } finally {
      busy.current = false;
    }
  };
  const resume = () => void (unsent !== undefined && attempt(unsent.input, send));
  useResume({ ...backendStatus, stopped: idle && unsent?.stopped === true, resume });
  return {
    submit: (input: T) => attempt(input, send),
    attempt,
    /** Whether the last attempt did not deliver, or none could now: then keeping it on this device is of use. */
    undelivered: unsent !== undefined || backendStatus.status === 'unavailable',
  };
}
