/**
 * When the desk looks for news by itself: while the page is visible, with growing pauses while nobody answers, and never
 * twice at once. `asking` carries a number: only the answer to the last question counts.
 */
export type Pulse =
  | Readonly<{ phase: 'hidden'; failures: number; turn: number }>
  | Readonly<{ phase: 'waiting'; failures: number; turn: number; ms: number }>
  | Readonly<{ phase: 'asking'; failures: number; turn: number }>;

export type PulseEvent =
  | Readonly<{ type: 'shown' | 'hidden' | 'due' }>
  | Readonly<{ type: 'answered' | 'failed'; turn: number }>;

export const PULSE_MS = 15_000;
const MOST_FAILURES = 3;

/** `later`: what is shown has just come. */
export function firstPulse(page: 'visible' | 'hidden', begin: 'at once' | 'later'): Pulse {
  if (page === 'hidden') return { phase: 'hidden', failures: 0, turn: 0 };
  return begin === 'later' ? waiting({ failures: 0, turn: 0 }) : { phase: 'asking', failures: 0, turn: 1 };
}

export function nextPulse(pulse: Pulse, event: PulseEvent): Pulse {
  const { failures, turn } = pulse;
  switch (event.type) {
    case 'hidden':
      return { phase: 'hidden', failures, turn };
    case 'shown':
      return pulse.phase === 'hidden' ? { phase: 'asking', failures, turn: turn + 1 } : pulse;
    case 'due':
      return pulse.phase === 'waiting' ? { phase: 'asking', failures, turn: turn + 1 } : pulse;
    default:
      if (pulse.phase !== 'asking' || event.turn !== turn) return pulse;
      return waiting({ turn, failures: event.type === 'answered' ? 0 : Math.min(failures + 1, MOST_FAILURES) });
  }
}

function waiting({ failures, turn }: Pick<Pulse, 'failures' | 'turn'>): Pulse {
  return { phase: 'waiting', failures, turn, ms: PULSE_MS * 2 ** failures };
}
