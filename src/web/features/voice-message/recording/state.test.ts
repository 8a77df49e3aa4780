import { expect, test } from 'vitest';
import {
  IDLE,
  reduceRecorder,
  getShownSeconds,
  type Recording,
  type RecorderEvent,
  type RecorderState,
} from './state.ts';

const recording: Recording = { blob: new Blob(['x']), extension: 'webm', mime: 'audio/webm', seconds: 12.4, bytes: 1 };
const recorded: RecorderState = { status: 'recorded', recording };
const running: RecorderState = { status: 'recording', seconds: 3, paused: false };
const paused: RecorderState = { ...running, paused: true };
const requesting: RecorderState = { status: 'requesting' };
const failed: RecorderState = { status: 'error', code: 'permission' };
const stopping = (automatic = false): RecorderState => ({
  status: 'stopping',
  seconds: 3,
  automatic,
  code: undefined,
});

test.each<[string, RecorderState, RecorderEvent, RecorderState]>([
  ['idle starts', IDLE, { type: 'start' }, requesting],
  ['an error can be tried again', failed, { type: 'start' }, requesting],
  ['start is disabled when recorded', recorded, { type: 'start' }, recorded],
  ['start is nothing while recording', running, { type: 'start' }, running],
  ['the microphone is there', requesting, { type: 'granted' }, { status: 'recording', seconds: 0, paused: false }],
  ['the microphone comes after the user has left', IDLE, { type: 'granted' }, IDLE],
  ['the microphone is refused', requesting, { type: 'failed', code: 'permission' }, failed],
  ['whole seconds are shown', running, { type: 'tick', seconds: 4.9 }, { ...running, seconds: 4 }],
  ['stops by hand', running, { type: 'stop' }, stopping()],
  ['stops while paused', paused, { type: 'stop' }, stopping()],
  ['pauses', running, { type: 'pause' }, paused],
  ['goes on', paused, { type: 'resume' }, running],
  [
    'the device goes away',
    running,
    { type: 'interrupted', code: 'microphone' },
    { ...stopping(true), code: 'microphone' } as RecorderState,
  ],
  ['is done', stopping(), { type: 'finished', recording }, recorded],
  ['the browser ends it by itself', running, { type: 'finished', recording }, recorded],
  ['nothing came of it', stopping(), { type: 'failed', code: 'processing' }, { status: 'error', code: 'processing' }],
  ['a late failure does not take a recording away', recorded, { type: 'failed', code: 'recording' }, recorded],
  ['a recording is taken up again', IDLE, { type: 'restored', recording }, recorded],
  ['but never in place of a running one', running, { type: 'restored', recording }, running],
  ['a new recording discards the old', recorded, { type: 'reset' }, IDLE],
  ['reset ends everything', running, { type: 'reset' }, IDLE],
])('%s (§4)', (_name, state, event, expected) => {
  expect(reduceRecorder(state, event)).toEqual(expected);
});

test('Stops at 300 s, not before, and shows 300 (§2.6)', () => {
  expect(reduceRecorder(running, { type: 'tick', seconds: 299.99 })).toMatchObject({
    status: 'recording',
    seconds: 299,
  });
  const stopped = reduceRecorder(running, { type: 'tick', seconds: 300.04 });
  expect(stopped).toEqual({ status: 'stopping', seconds: 300, automatic: true, code: undefined });
  expect(getShownSeconds(stopped)).toBe(300);
});

test('An unchanged second is no new state (§4)', () => {
  expect(reduceRecorder(running, { type: 'tick', seconds: 3.5 })).toBe(running);
});

test('The timer shows what was recorded (§2.6)', () => {
  expect([getShownSeconds(IDLE), getShownSeconds(running), getShownSeconds(recorded), getShownSeconds(failed)]).toEqual(
    [0, 3, 12, 0],
  );
});
