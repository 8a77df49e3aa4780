import { describe, expect, test } from 'vitest';
import {
  IDLE,
  isActive,
  getMainButton,
  reduceConversation,
  type ConversationEvent,
  type ConversationState,
} from './state.ts';

const PREPARING: ConversationState = { status: 'preparing' };
const CONNECTING: ConversationState = { status: 'connecting', way: 'voice', progress: 0, before: IDLE };
const CONNECTED: ConversationState = { status: 'connected', way: 'voice', progress: 100 };
const ENDED: ConversationState = { status: 'ended', by: 'user', way: 'voice' };
const ERROR: ConversationState = { status: 'error', code: 'connection', way: 'voice' };
const STATES = {
  idle: IDLE,
  preparing: PREPARING,
  connecting: CONNECTING,
  connected: CONNECTED,
  ended: ENDED,
  error: ERROR,
};

const EVENTS = {
  'preload-started': { type: 'preload-started' },
  'preload-over': { type: 'preload-over' },
  start: { type: 'start', way: 'typing' },
  connected: { type: 'connected' },
  failed: { type: 'failed', code: 'microphone-denied' },
  ended: { type: 'ended', by: 'agent' },
  dropped: { type: 'dropped', code: 'dropped' },
  cancelled: { type: 'cancelled' },
} as const satisfies Record<string, ConversationEvent>;

/** Where every event leads from every state; what is not listed leaves the state as it is. */
const TABLE: Readonly<Record<keyof typeof STATES, Partial<Record<keyof typeof EVENTS, string>>>> = {
  idle: { start: 'connecting', 'preload-started': 'preparing' },
  preparing: { 'preload-over': 'idle' },
  connecting: { connected: 'connected', failed: 'error', cancelled: 'idle' },
  connected: { ended: 'ended', dropped: 'error' },
  ended: { start: 'connecting' },
  error: { start: 'connecting' },
};

describe('§4 voice interview connection: every event in every state', () => {
  for (const [from, state] of Object.entries(STATES)) {
    test.each(Object.entries(EVENTS))(`${from} + %s`, (name, event) => {
      const next = reduceConversation(state, event);
      const expected = TABLE[state.status][name as keyof typeof EVENTS];
      if (expected === undefined) expect(next).toBe(state);
      else expect(next.status).toBe(expected);
    });
  }

  test.each([IDLE, ENDED, ERROR])('A cancelled start goes back to %o', (before) => {
    const events = [EVENTS.start, { type: 'tick' }, EVENTS.cancelled] as const;
    expect(events.reduce(reduceConversation, before)).toEqual(before);
  });

  test('Keeps who ended it and why it failed', () => {
    expect(reduceConversation(CONNECTED, EVENTS.ended)).toEqual({ status: 'ended', by: 'agent', way: 'voice' });
    expect(reduceConversation(CONNECTING, EVENTS.failed)).toEqual({
      status: 'error',
      code: 'microphone-denied',
      way: 'voice',
    });
    expect(reduceConversation(CONNECTED, EVENTS.dropped)).toEqual({ status: 'error', code: 'dropped', way: 'voice' });
  });
});

test('The progress creeps, never back, to 90 at most, and jumps to 100 on connect (§4, §9)', () => {
  let state: ConversationState = CONNECTING;
  let before = 0;
  for (let tick = 0; tick < 150; tick += 1) {
    state = reduceConversation(state, { type: 'tick' });
    if (state.status !== 'connecting') throw new Error('left');
    expect(state.progress).toBeGreaterThanOrEqual(before);
    before = state.progress;
  }
  expect(before).toBe(90);
  expect(reduceConversation(state, { type: 'connected' })).toMatchObject({ progress: 100 });
  expect(reduceConversation(CONNECTED, { type: 'tick' })).toBe(CONNECTED);
});

test.each([
  [IDLE, 'Interview starten', false, 'start'],
  [PREPARING, 'Wird vorbereitet...', true, 'start'],
  [CONNECTING, 'Verbinde...', true, 'start'],
  [CONNECTED, 'Interview beenden', false, 'end'],
  [ENDED, 'Interview wiederholen', false, 'start'],
  [ERROR, 'Erneut versuchen', false, 'start'],
] as const)('Button labels: %o (§4)', (state, label, disabled, action) => {
  expect(getMainButton(state)).toEqual({ label, disabled, action });
});

test('Is active only while connecting and connected', () => {
  expect(Object.values(STATES).filter(isActive)).toEqual([CONNECTING, CONNECTED]);
});
