import { expect, test } from 'vitest';
import type { DraftEvent } from '#contract/drafts.ts';
import { applyEvent, splitByCitations, type Drafting } from './use-drafting.ts';

const BEGUN: Drafting = { phase: 'running', text: '', citations: [], model: '', ignored: 0 };
const SOURCE = 'Wir bauen Pumpen. Seit 2019.';

test('Events add up to the text, its citations and the progress (posts, drafting)', () => {
  const events: readonly DraftEvent[] = [
    { type: 'draft.begun', model: 'probe-7b' },
    { type: 'draft.progress', done: 1, total: 2 },
    { type: 'draft.text.delta', delta: 'Pumpen' },
    { type: 'draft.citation', at: 6, source: 'transcript', start: 0, end: 17 },
    { type: 'draft.text.delta', delta: '.' },
    { type: 'draft.done', ignored: 1 },
  ];
  expect(events.reduce(applyEvent, BEGUN)).toMatchObject({
    text: 'Pumpen.',
    model: 'probe-7b',
    progress: { done: 1, total: 2 },
    citations: [{ at: 6, source: 'transcript' }],
    ignored: 1,
  });
});

test.each<[string, string, readonly number[], [string, string[]][]]>([
  [
    'a mark before the full stop',
    'Pumpen. Ja.',
    [6],
    [
      ['Pumpen.', ['Wir bauen Pumpen.']],
      ['Ja.', []],
    ],
  ],
  [
    'a mark behind it',
    'Pumpen. Ja.',
    [7],
    [
      ['Pumpen.', ['Wir bauen Pumpen.']],
      ['Ja.', []],
    ],
  ],
  ['a mark at the end', 'Pumpen.', [7, 7], [['Pumpen.', ['Wir bauen Pumpen.']]]],
  ['no mark', 'Pumpen.', [], [['Pumpen.', []]]],
  ['nothing', '', [], []],
])('Each part stands beside what was cited behind it: %s', (_name, text, places, parts) => {
  const citations = places.map((at) => ({ at, source: 'transcript', start: 0, end: 17 }));
  expect(splitByCitations({ text, citations }, () => SOURCE)).toEqual(
    parts.map(([part, quotes]) => ({ text: part, quotes })),
  );
});
