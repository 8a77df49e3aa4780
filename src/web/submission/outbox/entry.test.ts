import { describe, expect, it } from 'vitest';
import { entryAfter, type EntryEvent, nextStep, type Step } from './entry-life.ts';
import { DEVICE_OWNER, type Entry, type PartState, statusOfEntry } from './entry.ts';

const NOW = 1_763_673_600_000;
const TRANSCRIPT = { kind: 'transcript', text: 'Hallo', fileName: 'transcript_1.txt' } as const;
const CONTACT = { kind: 'contact', contact: { firstName: 'Ada', lastName: 'L', email: 'ada@beispiel.test' } } as const;
const KNOWN = { status: 'known', id: 7 } as const;

const EMPTY: Entry = {
  id: 'e',
  owner: 'ada',
  area: 'generic',
  contentId: 'local_1_a',
  key: 'k',
  createdAt: NOW,
  row: { status: 'none' },
  parts: [],
};

function after(...events: readonly EntryEvent[]): Entry {
  return events.reduce(entryAfter, EMPTY);
}

const put = { type: 'put', part: 'transcript', content: TRANSCRIPT } as const;
const about = { part: 'transcript', revision: 1 } as const;

describe('a part', () => {
  const table: readonly (readonly [string, readonly EntryEvent[], PartState])[] = [
    ['waits', [put], { status: 'waiting' }],
    ['is being sent', [put, { type: 'started', ...about }], { status: 'sending' }],
    ['stays sent', [put, { type: 'sent', ...about }, { type: 'interrupted', ...about }], { status: 'sent' }],
    ['is sent', [put, { type: 'started', ...about }, { type: 'sent', ...about }], { status: 'sent' }],
    ['failed', [put, { type: 'failed', ...about, reason: 'refused' }], { status: 'failed', reason: 'refused' }],
    [
      'waits again without an answer',
      [put, { type: 'started', ...about }, { type: 'interrupted', ...about }],
      { status: 'waiting' },
    ],
    ['waits again after a crash', [put, { type: 'started', ...about }, { type: 'resumed' }], { status: 'waiting' }],
    [
      'waits again when the user wants it',
      [put, { type: 'failed', ...about, reason: 'refused' }, { type: 'retry' }],
      { status: 'waiting' },
    ],
    [
      'stays sent on retry',
      [put, { type: 'sent', ...about }, { type: 'retry' }, { type: 'resumed' }],
      { status: 'sent' },
    ],
    [
      'replaced while being sent, waits: what was sent is the old text',
      [put, { type: 'started', ...about }, put, { type: 'sent', ...about }],
      { status: 'waiting' },
    ],
  ];
  it.each(table)('%s', (_name, events, state) => {
    expect(after(...events).parts[0]?.state).toEqual(state);
  });

  it('is given up only where it failed for good; then the contact details go', () => {
    const file = { type: 'put', part: 'file', content: TRANSCRIPT } as const;
    const contact = { type: 'put', part: 'contact', content: CONTACT } as const;
    const failed = { type: 'failed', part: 'file', revision: 1 } as const;
    const giveUp = { type: 'given-up', part: 'file' } as const;
    const next = (...events: readonly EntryEvent[]): Step =>
      nextStep({ ...after(file, contact, ...events), owner: DEVICE_OWNER, row: KNOWN });
    expect(next({ ...failed, reason: 'too-large' })).toEqual({ step: 'stuck' });
    expect(next({ ...failed, reason: 'too-large' }, giveUp)).toMatchObject({ step: 'send', part: { id: 'contact' } });
    expect(next({ ...failed, reason: 'unreachable' }, giveUp)).toMatchObject({ step: 'send', part: { id: 'file' } });
    expect(next(giveUp)).toMatchObject({ step: 'send', part: { id: 'file' } });
  });

  it('keeps the name of its file when the text is corrected', () => {
    const corrected = { ...TRANSCRIPT, text: 'Guten Tag', fileName: 'transcript_2.txt' };
    const [part] = after(put, { ...put, content: corrected }).parts;
    expect(part).toMatchObject({ revision: 2, content: { text: 'Guten Tag', fileName: 'transcript_1.txt' } });
  });
});

describe('D9 the row', () => {
  const table: readonly (readonly [string, readonly EntryEvent[], Entry['row']])[] = [
    [
      'its id is final',
      [{ type: 'row-known', id: 7 }, { type: 'row-failed', reason: 'failed' }, { type: 'retry' }],
      KNOWN,
    ],
    ['a retry forgets the refusal', [{ type: 'row-failed', reason: 'refused' }, { type: 'retry' }], { status: 'none' }],
  ];
  it.each(table)('%s', (_name, events, row) => {
    expect(after(...events).row).toEqual(row);
  });
});

const sent = { type: 'sent', ...about } as const;
const contact = { type: 'put', part: 'contact', content: CONTACT } as const;
const failed = (reason: 'refused' | 'failed') => ({ type: 'failed', ...about, reason }) as const;
const row = { type: 'row-known', id: 7 } as const;

describe('what comes next', () => {
  const table: readonly (readonly [
    string,
    readonly EntryEvent[],
    Readonly<{ step: Step['step']; row?: number; part?: object }>,
  ])[] = [
    ['nothing', [], { step: 'done' }],
    ['first the row', [put], { step: 'insert-row' }],
    ['a row refused for good needs the user', [put, { type: 'row-failed', reason: 'refused' }], { step: 'stuck' }],
    ['a row that failed is tried again', [put, { type: 'row-failed', reason: 'failed' }], { step: 'insert-row' }],
    ['then the parts', [put, contact, row], { step: 'send', row: 7, part: { id: 'transcript' } }],
    ['the contact last', [contact, put, row, sent], { step: 'send', part: { id: 'contact' } }],
    [
      'the contact waits for what may still go',
      [contact, put, row, failed('failed')],
      { step: 'send', part: { id: 'transcript' } },
    ],
    [
      'a login’s contact does not wait for what never will',
      [contact, put, row, failed('refused')],
      { step: 'send', part: { id: 'contact' } },
    ],
    ['all sent', [put, row, sent], { step: 'done' }],
    ['failed for good', [put, row, failed('refused')], { step: 'stuck' }],
  ];
  it.each(table)('%s', (_name, events, step) => {
    expect(nextStep(after(...events))).toMatchObject(step);
  });

  it('Without a login the key takes no files after the contact details: they wait for every part (D9)', () => {
    const entry = { ...after(contact, put, row, failed('refused')), owner: DEVICE_OWNER };
    expect(nextStep(entry)).toEqual({ step: 'stuck' });
  });

  it('a part has one attempt a round', () => {
    expect(nextStep(after(put, row), new Set(['transcript:1']))).toEqual({ step: 'stuck' });
    expect(nextStep(after(put, put, row), new Set(['transcript:1']))).toMatchObject({ step: 'send' });
  });
});

describe('in one word', () => {
  const table = [
    ['waiting', [put, row, failed('failed')]],
    ['sending', [put, row, { type: 'started', ...about }]],
    ['failed', [put, row, failed('refused')]],
    ['failed', [put, { type: 'row-failed', reason: 'refused' }]],
    ['sent', [put, row, sent]],
  ] as const satisfies readonly (readonly [string, readonly EntryEvent[]])[];
  it.each(table)('%s', (word, events) => {
    expect(statusOfEntry(after(...events))).toBe(word);
  });
});
