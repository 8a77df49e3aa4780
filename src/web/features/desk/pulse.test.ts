import { describe, expect, it } from 'vitest';
import { firstPulse, nextPulse, PULSE_MS, type Pulse, type PulseEvent } from './pulse.ts';

const after = (begin: Pulse, ...events: readonly PulseEvent[]): Pulse => events.reduce(nextPulse, begin);
const visible = firstPulse('visible', 'later');
const hidden = firstPulse('hidden', 'later');
const due: PulseEvent = { type: 'due' };
const answered = (turn: number): PulseEvent => ({ type: 'answered', turn });
const failed = (turn: number): PulseEvent => ({ type: 'failed', turn });

describe('desk: the list looks for news by itself', () => {
  it.each<[string, Pulse, Partial<Pulse>]>([
    ['a visible page waits first: the list has just come', visible, { phase: 'waiting', ms: PULSE_MS }],
    ['… or asks at once where nothing is shown yet', firstPulse('visible', 'at once'), { phase: 'asking', turn: 1 }],
    ['a hidden page asks nobody', after(hidden, due), { phase: 'hidden' }],
    ['shown again, it asks at once', after(hidden, { type: 'shown' }), { phase: 'asking', turn: 1 }],
    ['due: asks', after(visible, due), { phase: 'asking', turn: 1 }],
    ['due twice: asks once', after(visible, due, due), { phase: 'asking', turn: 1 }],
    ['shown while waiting changes nothing', after(visible, { type: 'shown' }), { phase: 'waiting', turn: 0 }],
    ['answered: waits again', after(visible, due, answered(1)), { phase: 'waiting', ms: PULSE_MS }],
    ['failed: a longer pause', after(visible, due, failed(1)), { phase: 'waiting', ms: 2 * PULSE_MS }],
    ['failed twice: longer still', after(visible, due, failed(1), due, failed(2)), { ms: 4 * PULSE_MS }],
    [
      'failed for hours: two minutes at most',
      after(visible, ...Array.from({ length: 9 }, (_, turn) => [due, failed(turn + 1)]).flat()),
      { ms: 8 * PULSE_MS },
    ],
    ['an answer heals', after(visible, due, failed(1), due, answered(2)), { ms: PULSE_MS, failures: 0 }],
    ['hidden while asking', after(visible, due, { type: 'hidden' }), { phase: 'hidden' }],
    ['… and the late answer starts nothing', after(visible, due, { type: 'hidden' }, answered(1)), { phase: 'hidden' }],
    [
      'an answer to an old question is none',
      after(visible, due, { type: 'hidden' }, { type: 'shown' }, answered(1)),
      { phase: 'asking', turn: 2 },
    ],
  ])('%s', (_name, pulse, expected) => {
    expect(pulse).toMatchObject(expected);
  });
});
