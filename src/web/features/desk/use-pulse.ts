import { useEffect, useReducer } from 'react';
import { firstPulse, nextPulse } from './pulse.ts';

/**
 * Asks again and again while the page can be seen; gives whether the last question went without an answer. `ask` must be
 * the same function as long as the question is the same: another one is asked instead of the one on its way.
 */
export function usePulse(ask: (signal: AbortSignal) => Promise<void>, begin: 'at once' | 'later' = 'later'): boolean {
  const [pulse, dispatch] = useReducer(nextPulse, undefined, () => firstPulse(document.visibilityState, begin));
  const { phase, turn, failures } = pulse;
  useEffect(() => {
    const look = (): void => dispatch({ type: document.visibilityState === 'visible' ? 'shown' : 'hidden' });
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  const ms = pulse.phase === 'waiting' ? pulse.ms : undefined;
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
