import { describe, expect, test } from 'vitest';
import {
  describePosition,
  findSentence,
  findSpoken,
  INITIAL,
  parseSpeed,
  reducePlayer,
  type PlayerEvent,
} from './state.ts';

const run = (...events: readonly PlayerEvent[]) => events.reduce(reducePlayer, INITIAL);

describe('The state of a player (0265)', () => {
  test.each<[string, readonly PlayerEvent[], object]>([
    ['a known length makes it ready', [{ type: 'length', seconds: 12 }], { phase: 'ready', length: 12 }],
    ['playing and waiting', [{ type: 'started' }, { type: 'waiting' }], { playing: true, waiting: true }],
    [
      'what arrives ends the waiting',
      [{ type: 'started' }, { type: 'waiting' }, { type: 'playing' }],
      { waiting: false },
    ],
    ['a paused player does not wait', [{ type: 'waiting' }], { waiting: false }],
    ['a pause ends the waiting', [{ type: 'started' }, { type: 'waiting' }, { type: 'paused' }], { waiting: false }],
    ['the end stops it', [{ type: 'started' }, { type: 'ended' }], { playing: false }],
    [
      'no position beyond the end',
      [
        { type: 'length', seconds: 3 },
        { type: 'moved', seconds: 1e9 },
      ],
      { position: 3 },
    ],
    ['no position before the beginning', [{ type: 'moved', seconds: -2 }], { position: 0 }],
    ['a failure stops it', [{ type: 'started' }, { type: 'failed' }], { phase: 'broken', playing: false }],
    [
      'loading again keeps the position',
      [{ type: 'moved', seconds: 7 }, { type: 'failed' }, { type: 'reloaded' }],
      { phase: 'loading', position: 7 },
    ],
    [
      'loading again stops it',
      [{ type: 'started' }, { type: 'waiting' }, { type: 'reloaded' }],
      { playing: false, waiting: false },
    ],
    ['muted', [{ type: 'muted', muted: true }], { muted: true }],
  ])('%s', (_name, events, expected) => {
    expect(run(...events)).toMatchObject(expected);
  });
});

const STARTS = [0.4, 3, 8.5];

test.each([
  ['next', 0, 0.4],
  ['next', 0.4, 3],
  ['next', 4, 8.5],
  ['next', 9, undefined],
  ['previous', 0, undefined],
  ['previous', 0.9, 0],
  ['previous', 3.5, 0.4],
  ['previous', 6, 3],
  ['previous', 20, 8.5],
] as const)('The %s sentence from %d s begins at %s', (direction, position, expected) => {
  expect(findSentence(STARTS, position, direction)).toBe(expected);
});

test.each([
  [0, -1],
  [0.4, 0],
  [8, 1],
  [100, 2],
])('At %d s sentence %d is spoken', (position, index) => {
  expect(findSpoken(STARTS, position)).toBe(index);
});

test('A position in words for screen readers', () => {
  expect(describePosition({ position: 65.9, length: 200 })).toBe('Minute 1:05 von 3:20');
  expect(describePosition({ position: 4, length: undefined })).toBe('Minute 0:04');
});

test.each([
  ['1.5', 1.5],
  ['0.75', 0.75],
  ['3', 1],
  ['laut', 1],
  [null, 1],
])('A stored speed of %s plays at %d', (stored, speed) => {
  expect(parseSpeed(stored)).toBe(speed);
});
