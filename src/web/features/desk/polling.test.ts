import { describe, expect, it } from 'vitest';
import { POLLING_MS, reducePolling, startPolling, type Polling, type PollingEvent } from './polling.ts';

const after = (begin: Polling, ...events: readonly PollingEvent[]): Polling => events.reduce(reducePolling, begin);
const visible = startPolling('visible', 'later');
const hidden = startPolling('hidden', 'later');
const due: PollingEvent = { type: 'due' };
const answered = (turn: number): PollingEvent => ({ type: 'answered', turn });
const failed = (turn: number): PollingEvent => ({ type: 'failed', turn });

describe('desk: the list looks for news by itself', () => {
  it.each<[string, Polling, Partial<Polling>]>([
    ['a visible page waits first: the list has just come', visible, { phase: 'waiting', ms: POLLING_MS }],
    ['… or asks at once where nothing is shown yet', startPolling('visible', 'at once'), { phase: 'asking', turn: 1 }],
    ['a hidden page asks nobody', after(hidden, due), { phase: 'hidden' }],
    ['shown again, it asks at once', after(hidden, { type: 'shown' }), { phase: 'asking', turn: 1 }],
    ['due: asks', after(visible, due), { phase: 'asking', turn: 1 }],
    ['due twice: asks once', after(visible, due, due), { phase: 'asking', turn: 1 }],
    ['shown while waiting changes nothing', after(visible, { type: 'shown' }), { phase: 'waiting', turn: 0 }],
    ['answered: waits again', after(visible, due, answered(1)), { phase: 'waiting', ms: POLLING_MS }],
    ['failed: a longer pause', after(visible, due, failed(1)), { phase: 'waiting', ms: 2 * POLLING_MS }],
    ['failed twice: longer still', after(visible, due, failed(1), due, failed(2)), { ms: 4 * POLLING_MS }],
    [
      'failed for hours: two minutes at most',
      after(visible, ...Array.from({ length: 9 }, (_, turn) => [due, failed(turn + 1)]).flat()),
      { ms: 8 * POLLING_MS },
    ],
    ['an answer heals', after(visible, due, failed(1), due, answered(2)), { ms: POLLING_MS, failures: 0 }],
    ['hidden while asking', after(visible, due, { type: 'hidden' }), { phase: 'hidden' }],
    ['… and the late answer starts nothing', after(visible, due, { type: 'hidden' }, answered(1)), { phase: 'hidden' }],
    [
      'an answer to an old question is none',
      after(visible, due, { type: 'hidden' }, { type: 'shown' }, answered(1)),
      { phase: 'asking', turn: 2 },
    ],
  ])('%s', (_name, polling, expected) => {
    expect(polling).toMatchObject(expected);
  });
});
