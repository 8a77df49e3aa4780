import { describe, expect, it } from 'vitest';
import type { DeskFile, DeskTurn } from '#contract/desk.ts';
import { describeFiles } from './stored-files.ts';
import { findSubstitute, splitAtSegments, splitAtTimecodes } from './transcript-text.tsx';
import { getPlaceKey, groupConversations, locateTurns } from './turn-log.ts';

const END = Date.UTC(2026, 10, 20, 10, 1, 0);
const at = (second: number): string => new Date(END - 60_000 + second * 1_000).toISOString();
const turn = (position: number, second: number, facts: Partial<DeskTurn> = {}): DeskTurn => ({
  conversation: 'a',
  position,
  speaker: position % 2 === 0 ? 'agent' : 'user',
  content: `Satz ${position}`,
  at: at(second),
  ...facts,
});

describe('Desk: substitutes for a missing transcript (§8)', () => {
  const file = (path: string, type: string, size: number | null = 9): DeskFile => ({
    id: 1,
    path,
    type,
    size,
    createdAt: at(0),
  });
  const sound = file('7/1_a.webm', 'audio/webm');
  const later = file('7/2_b.webm', 'audio/webm');
  const lost = file('7/3_c.webm', 'audio/webm', null);
  it.each<[string, readonly DeskFile[], readonly DeskTurn[], object]>([
    ['the last stored recording', [sound, later, lost], [turn(0, 0)], { kind: 'recording', path: '7/2_b.webm' }],
    ['a transcript file', [sound, file('7/transcript_1.txt', 'text/plain')], [], { kind: 'filed' }],
    ['no other text file', [file('7/1_notiz.txt', 'text/plain')], [], { kind: 'nothing' }],
    ['the turn log', [lost], [turn(0, 0)], { kind: 'logged' }],
    ['a lost recording', [lost], [], { kind: 'lost' }],
    ['nothing', [file('7/1_a.mp4', 'video/mp4')], [], { kind: 'nothing' }],
  ])('%s', (_name, fileList, turns, expected) => {
    expect(findSubstitute({ fileList: [...fileList], turns: [...turns] })).toEqual(expected);
  });
});

describe('Desk: turn log', () => {
  it('Groups turns by conversation with the seconds since its start', () => {
    const turns = [turn(1, 8), turn(0, 0), turn(0, 40, { conversation: 'b' }), turn(2, 9.6)];
    expect(
      groupConversations(turns).map(({ id, turns: spoken }) => [
        id,
        spoken.map(({ turn: { position }, seconds }) => [position, seconds]),
      ]),
    ).toEqual([
      [
        'a',
        [
          [0, 0],
          [1, 8],
          [2, 10],
        ],
      ],
      ['b', [[0, 0]]],
    ]);
    expect(groupConversations([])).toEqual([]);
  });
});

describe('Desk: positions in a recording', () => {
  const recording = { path: `7/${END}_x.webm`, seconds: 60 };
  const seconds = (turns: readonly DeskTurn[], made = [recording]) =>
    turns.map((one) => locateTurns(turns, made).get(getPlaceKey(one))?.seconds);

  it('Places an agent at its own time and a person at the time of the turn before', () => {
    expect(seconds([turn(0, 5), turn(1, 20), turn(2, 21), turn(3, 40)])).toEqual([5, 5, 21, 21]);
  });

  it('Places no turn outside a recording or in one of unknown time or length', () => {
    expect(seconds([turn(0, -2), turn(2, 61)])).toEqual([undefined, undefined]);
    expect(seconds([turn(1, 10)])).toEqual([10]);
    expect(seconds([turn(0, 5)], [{ path: '7/gespraech.webm', seconds: 60 }])).toEqual([undefined]);
    expect(seconds([turn(0, 5)], [{ path: recording.path, seconds: Number.POSITIVE_INFINITY }])).toEqual([undefined]);
    expect(seconds([turn(0, 5)], [])).toEqual([undefined]);
  });

  it('Places each turn in the recording that covers it', () => {
    const later = { path: `7/${END + 120_000}_y.webm`, seconds: 30 };
    const turns = [turn(0, 5), turn(0, 160, { conversation: 'b' })];
    const places = locateTurns(turns, [recording, later]);
    expect(turns.map((one) => places.get(getPlaceKey(one)))).toEqual([
      { path: recording.path, seconds: 5 },
      { path: later.path, seconds: 10 },
    ]);
  });

  it.each([
    ['ohne Zeit', [['ohne Zeit', undefined]]],
    [
      '[00:05] Hallo [1:02:03] Ende',
      [
        ['[00:05]', 5],
        [' Hallo ', undefined],
        ['[1:02:03]', 3_723],
        [' Ende', undefined],
      ],
    ],
    ['[99:00] und [5] und [00:61] sind keine', [['[99:00] und [5] und [00:61] sind keine', undefined]]],
  ] as const)('Finds the time codes in %j', (text, pieces) => {
    expect(splitAtTimecodes(text).map((piece) => [piece.text, piece.seconds])).toEqual(pieces);
  });
});

describe('Desk: timed sentences in a transcript', () => {
  const segments = [
    { start: 0, text: 'Guten Tag.' },
    { start: 1.5, text: 'Wir haben (neu!) eine Maschine gebaut, die misst.' },
    { start: 4, text: 'Sie misst alles.' },
  ];
  const announcement = (transcript: string) =>
    splitAtSegments(transcript, segments).map(({ text, seconds }) => seconds ?? text);
  it.each([
    [
      'as it was announcement',
      'Guten Tag. Wir haben (neu!) eine Maschine gebaut, die misst. Sie misst alles.',
      [0, 'Guten Tag. ', 1.5, 'Wir haben (neu!) eine Maschine gebaut, die misst. ', 4, 'Sie misst alles.'],
    ],
    ['with other spaces and a first line', 'Vorab:\n\nGuten\nTag. Und Ende', ['Vorab:\n\n', 0, 'Guten\nTag. Und Ende']],
    [
      'with an edited end',
      'Wir haben (neu!) eine Anlage. Sie misst alles.',
      [1.5, 'Wir haben (neu!) eine Anlage. ', 4, 'Sie misst alles.'],
    ],
    ['without one sentence', 'Guten Tag. Sie misst alles.', [0, 'Guten Tag. ', 4, 'Sie misst alles.']],
    ['rewritten', 'Ganz etwas anderes', ['Ganz etwas anderes']],
    ['never from the middle of a word', 'XGuten Tag.', ['XGuten Tag.']],
    ['emptied', '', []],
  ] as const)('%s', (_name, transcript, pieces) => {
    expect(announcement(transcript)).toEqual(pieces);
  });

  it('Ignores a match that is far away', () => {
    expect(splitAtSegments(`${'Füllwort '.repeat(100)}Guten Tag.`, segments)).toHaveLength(1);
  });

  it('Marks sentences around one without an end, as anybody may hand in (threat 21)', () => {
    const endless = 'und '.repeat(100_000).trim();
    const pieces = splitAtSegments(`Ja. ${endless} Nein.`, [
      { start: 1, text: 'Ja.' },
      { start: 2, text: endless },
      { start: 9, text: 'Nein.' },
    ]);
    expect(pieces.map(({ seconds }) => seconds)).toEqual([1, undefined, 2, undefined, 9, undefined]);
  });

  it('finds no sentence within a longer word', () => {
    const pieces = splitAtSegments('Jahrelang war nichts. Ja', [{ start: 3, text: 'Ja' }]);
    expect(pieces).toEqual([{ text: 'Jahrelang war nichts. ' }, { text: '', seconds: 3 }, { text: 'Ja' }]);
  });
});

describe('Desk: presentation of files', () => {
  const file = (type: string, path = '7/1763719200000_ab.bin', size: number | null = 10): DeskFile => ({
    id: 1,
    path,
    type,
    size,
    createdAt: '2026-11-20T10:00:00Z',
  });

  it.each([
    ['audio/webm;codecs=opus', 'audio', 'audio'],
    ['video/mp4', 'video', 'video'],
    ['image/jpeg', 'picture', 'picture'],
    ['image/heic', 'other', 'picture'],
    ['image/svg+xml', 'other', 'picture'],
    ['application/pdf', 'pdf', 'document'],
    ['text/plain', 'text', 'text'],
    ['text/html', 'text', 'text'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'other', 'document'],
    ['', 'other', 'other'],
  ])('Presents %s as %s and names it %s', (type, use, name) => {
    expect(describeFiles([file(type)])[0]).toMatchObject({ use, name, presence: 'stored' });
  });

  it('Numbers files by name and recognises transcripts, missing and very large files', () => {
    const files = describeFiles([
      file('image/png', '7/1_a.png'),
      file('text/plain', '7/transcript_1763719200000.txt'),
      file('image/png', '7/2_b.PNG', null),
      file('application/pdf', '7/ohne', 51 * 1024 * 1024),
    ]);
    expect(files.map(({ name, number, extension, presence, use }) => [name, number, extension, presence, use])).toEqual(
      [
        ['picture', 1, 'PNG', 'stored', 'picture'],
        ['transcript', 1, 'TXT', 'stored', 'text'],
        ['picture', 2, 'PNG', 'missing', 'picture'],
        ['document', 1, 'PDF', 'stored', 'other'],
      ],
    );
  });
});
