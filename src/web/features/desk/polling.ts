import { useEffect, useReducer } from 'react';

/**
 * Polls while the page is visible, one request at a time, with growing pauses after failures. `turn` numbers the
 * requests: only the answer to the newest one counts.
 */
export type Polling =
  | Readonly<{ phase: 'hidden'; failures: number; turn: number }>
  | Readonly<{ phase: 'waiting'; failures: number; turn: number; ms: number }>
  | Readonly<{ phase: 'asking'; failures: number; turn: number }>;

export type PollingEvent =
  | Readonly<{ type: 'shown' | 'hidden' | 'due' }>
  | Readonly<{ type: 'answered' | 'failed'; turn: number }>;

export const POLLING_MS = 15_000;
const MOST_FAILURES = 3;

/** `later` if the shown data has just been loaded. */
export function startPolling(page: 'visible' | 'hidden', begin: 'at once' | 'later'): Polling {
  if (page === 'hidden') return { phase: 'hidden', failures: 0, turn: 0 };
  return begin === 'later' ? waiting({ failures: 0, turn: 0 }) : { phase: 'asking', failures: 0, turn: 1 };
}

export function reducePolling(polling: Polling, event: PollingEvent): Polling {
  const { failures, turn } = polling;
  switch (event.type) {
    case 'hidden':
      return { phase: 'hidden', failures, turn };
    case 'shown':
      return polling.phase === 'hidden' ? { phase: 'asking', failures, turn: turn + 1 } : polling;
    case 'due':
      return polling.phase === 'waiting' ? { phase: 'asking', failures, turn: turn + 1 } : polling;
    default:
      if (polling.phase !== 'asking' || event.turn !== turn) return polling;
      return waiting({ turn, failures: event.type === 'answered' ? 0 : Math.min(failures + 1, MOST_FAILURES) });
  }
}

function waiting({ failures, turn }: Pick<Polling, 'failures' | 'turn'>): Polling {
  return { phase: 'waiting', failures, turn, ms: POLLING_MS * 2 ** failures };
}

/**
 * Calls `ask` regularly while the page is visible; returns whether the last call failed. `ask` needs a stable identity:
 * a new function replaces the running request.
 */
export function usePolling(ask: (signal: AbortSignal) => Promise<void>, begin: 'at once' | 'later' = 'later'): boolean {
  const [polling, dispatch] = useReducer(reducePolling, undefined, () => startPolling(document.visibilityState, begin));
  const { phase, turn, failures } = polling;
  useEffect(() => {
    const look = (): void => dispatch({ type: document.visibilityState === 'visible' ? 'shown' : 'hidden' });
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  const ms = polling.phase === 'waiting' ? polling.ms : undefined;
  useEffect(() => {
    if (ms === undefined) return undefined;
    const timer = setTimeout(() => dispatch({ type: 'due' }), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  useEffect(() => {
    if (phase !== 'asking') return undefined;
    const superseded = new AbortController();
    const settle = (type: 'answered' | 'failed') => () => {
      if (!superseded.signal.aborted) dispatch({ type, turn });
    };
    ask(superseded.signal).then(settle('answered'), settle('failed'));
    return () => superseded.abort();
  }, [ask, phase, turn]);
  return failures > 0;
}
