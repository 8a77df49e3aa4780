import { describe, expect, it } from 'vitest';
import { POLLING_MS, reducePolling, startPolling, type Polling, type PollingEvent } from './polling.ts';

const after = (begin: Polling, ...events: readonly PollingEvent[]): Polling => events.reduce(reducePolling, begin);
const visible = startPolling('visible', 'later');
const hidden = startPolling('hidden', 'later');
const due: PollingEvent = { type: 'due' };
const answered = (turn: number): PollingEvent => ({ type: 'answered', turn });
const failed = (turn: number): PollingEvent => ({ type: 'failed', turn });

describe('Desk: polling', () => {
  it.each<[string, Polling, Partial<Polling>]>([
    ['Waits first on a visible page, whose list is new', visible, { phase: 'waiting', ms: POLLING_MS }],
    ['Asks at once when nothing is shown yet', startPolling('visible', 'at once'), { phase: 'asking', turn: 1 }],
    ['Does not ask on a hidden page', after(hidden, due), { phase: 'hidden' }],
    ['Asks at once when the page is shown again', after(hidden, { type: 'shown' }), { phase: 'asking', turn: 1 }],
    ['Asks when due', after(visible, due), { phase: 'asking', turn: 1 }],
    ['Asks once when due twice', after(visible, due, due), { phase: 'asking', turn: 1 }],
    ['Ignores shown while waiting', after(visible, { type: 'shown' }), { phase: 'waiting', turn: 0 }],
    ['Waits again after an answer', after(visible, due, answered(1)), { phase: 'waiting', ms: POLLING_MS }],
    ['Waits longer after a failure', after(visible, due, failed(1)), { phase: 'waiting', ms: 2 * POLLING_MS }],
    ['Waits even longer after two failures', after(visible, due, failed(1), due, failed(2)), { ms: 4 * POLLING_MS }],
    [
      'Waits two minutes at most',
      after(visible, ...Array.from({ length: 9 }, (_, turn) => [due, failed(turn + 1)]).flat()),
      { ms: 8 * POLLING_MS },
    ],
    [
      'Resets the pause after an answer',
      after(visible, due, failed(1), due, answered(2)),
      { ms: POLLING_MS, failures: 0 },
    ],
    ['Stops when hidden while asking', after(visible, due, { type: 'hidden' }), { phase: 'hidden' }],
    ['Ignores a late answer while hidden', after(visible, due, { type: 'hidden' }, answered(1)), { phase: 'hidden' }],
    [
      'Ignores the answer to an older request',
      after(visible, due, { type: 'hidden' }, { type: 'shown' }, answered(1)),
      { phase: 'asking', turn: 2 },
    ],
  ])('%s', (_name, polling, expected) => {
    expect(polling).toMatchObject(expected);
  });
});
