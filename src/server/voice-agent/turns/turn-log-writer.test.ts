import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { OrderedTurnLogWriter, type TurnLogWriter, type TurnLogWriterOptions } from './turn-log-writer.ts';
import { RefusedError, type Batch, type TurnStore } from './store.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const testClock = () => ({ ...systemClock, advance: (ms: number) => void vi.advanceTimersByTime(ms) });

type Failure = 'lost answer' | 'no connection' | 'refused';

const ANYBODY = { role: 'anon', claims: {}, method: 'POST', path: '/', headers: {} };

/** A store that keeps rows as PostgreSQL would, and fails as it is told. */
function fakeStore() {
  const rows = new Map<string, string>();
  const failures: Failure[] = [];
  const batches: Batch[] = [];
  const state = { transcript: '' };
  const store: TurnStore = {
    open: async () => undefined,
    getRole: async () => undefined,
    save: async (_holder, batch) => {
      batches.push(batch);
      const failure = failures.shift();
      if (failure === 'no connection') throw new Error('ECONNREFUSED');
      if (failure === 'refused') throw new RefusedError('42501');
      for (const turn of batch.turns) {
        const place = `${batch.conversationId}/${turn.position}`;
        if (!rows.has(place)) rows.set(place, turn.text);
      }
      const change = batch.transcript;
      const kept = change === undefined || ['', ...change.expected, change.now].includes(state.transcript);
      if (change !== undefined && kept) state.transcript = change.now;
      if (failure === 'lost answer') throw new Error('connection lost during commit');
      return { transcriptKept: kept };
    },
  };
  return { store, rows, failures, batches, state };
}

function start(store: TurnStore, more: Partial<TurnLogWriterOptions> = {}) {
  const clock = testClock();
  const troubles: string[] = [];
  const turnLog = new OrderedTurnLogWriter({
    store,
    holder: { context: ANYBODY, token: undefined, userId: undefined, subject: 's' },
    conversationId: 'c',
    interview: { id: 1, transcript: '' },
    start: '',
    transcriptMax: 1_000,
    clock,
    onError: (what) => void troubles.push(what),
    ...more,
  });
  return { turnLog, clock, troubles };
}

const say = (turnLog: TurnLogWriter, speaker: 'agent' | 'user', text: string): void =>
  turnLog.add({ kind: 'said', speaker, text, eventId: 1 });

/** Lets everything that needs no time happen. */
const flushPromises = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

describe('Turn log writer (D16)', () => {
  test('Writes turns in order as they are spoken', async () => {
    const { store, rows, state } = fakeStore();
    const { turnLog } = start(store);
    say(turnLog, 'agent', 'Frage?');
    await flushPromises();
    expect([...rows.values()]).toEqual(['Frage?']);
    expect(state.transcript).toBe('');
    say(turnLog, 'user', 'Antwort.');
    say(turnLog, 'user', 'Noch etwas.');
    await turnLog.finish();
    expect([...rows]).toEqual([
      ['c/0', 'Frage?'],
      ['c/1', 'Antwort.'],
      ['c/2', 'Noch etwas.'],
    ]);
    expect(state.transcript).toBe('Interviewer: Frage?\n\nDu: Noch etwas.');
  });

  test.each<[string, Failure[]]>([
    ['the answer to a commit gets lost', ['lost answer', 'lost answer']],
    ['the database is away for a while', ['no connection', 'no connection', 'no connection']],
  ])('%s: every turn once', async (_name, failing) => {
    const { store, rows, failures, state } = fakeStore();
    const { turnLog, clock } = start(store);
    failures.push(...failing);
    for (const text of ['a', 'b', 'c']) say(turnLog, 'user', text);
    const finished = turnLog.finish();
    for (let tries = 0; tries < 10; tries++) {
      await flushPromises();
      clock.advance(5_000);
    }
    await finished;
    expect([...rows.values()]).toEqual(['a', 'b', 'c']);
    expect(state.transcript).toBe('Du: c');
  });

  test('Writes turns added during a write', async () => {
    const { store, rows } = fakeStore();
    const { turnLog } = start(store);
    for (let turn = 0; turn < 30; turn++) {
      say(turnLog, 'user', `Satz ${turn}`);
      if (turn % 3 === 0) await Promise.resolve();
      if (turn % 7 === 0) await flushPromises();
    }
    await flushPromises();
    expect(rows.size).toBe(30);
  });

  test('Reports when a line is written; does not wait for a failing database', async () => {
    const { store, rows, failures } = fakeStore();
    const { turnLog, clock } = start(store);
    const logged: number[] = [];
    const sayAndWait = async (text: string): Promise<void> => {
      say(turnLog, 'user', text);
      await turnLog.written();
      logged.push(rows.size);
    };
    await sayAndWait('a');
    await sayAndWait('b');
    expect(logged).toEqual([1, 2]);
    failures.push('no connection');
    await sayAndWait('c');
    await sayAndWait('d');
    expect(logged).toEqual([1, 2, 2, 2]);
    clock.advance(200);
    await flushPromises();
    await sayAndWait('e');
    expect(logged.at(-1)).toBe(5);
    failures.push('refused');
    await sayAndWait('f');
    expect(rows.size).toBe(5);
  });

  test('Waits for nothing without a row (§4)', async () => {
    const { store, rows } = fakeStore();
    const { turnLog } = start(store, { interview: undefined });
    say(turnLog, 'agent', 'a');
    await turnLog.written();
    expect(rows.size).toBe(0);
  });

  test('Does not repeat a refused write and still writes later turns', async () => {
    const { store, rows, failures, batches } = fakeStore();
    const { turnLog, troubles } = start(store);
    failures.push('refused');
    say(turnLog, 'agent', 'a');
    await flushPromises();
    say(turnLog, 'agent', 'b');
    await turnLog.finish();
    expect([...rows.values()]).toEqual(['b']);
    expect(batches).toHaveLength(2);
    expect(troubles).toEqual(['refused']);
  });

  test('Gives up 10 minutes after the end and logs it', async () => {
    const { store, failures } = fakeStore();
    const { turnLog, clock, troubles } = start(store);
    failures.push(...Array.from({ length: 500 }, () => 'no connection' as const));
    say(turnLog, 'user', 'a');
    const finished = turnLog.finish();
    for (let tries = 0; tries < 200; tries++) {
      await flushPromises();
      clock.advance(5_000);
    }
    await finished;
    expect(troubles.at(-1)).toBe('lost');
    expect(failures.length).toBeGreaterThan(300);
  });

  test('Writes earlier turns once there is a row', async () => {
    const { store, rows, batches } = fakeStore();
    const { turnLog } = start(store, { interview: undefined });
    say(turnLog, 'user', 'a');
    await turnLog.finish();
    expect(batches).toEqual([]);
    expect(turnLog.bind({ id: 7, transcript: '' })).toBe(true);
    await turnLog.finish();
    expect([...rows.values()]).toEqual(['a']);
    expect(batches[0]?.interviewId).toBe(7);
    expect(turnLog.bind({ id: 8, transcript: '' })).toBe(false);
    expect(turnLog.bind({ id: 7, transcript: '' })).toBe(true);
  });

  test('Corrects the transcript but not the log', async () => {
    const { store, rows, state } = fakeStore();
    const { turnLog } = start(store);
    say(turnLog, 'agent', 'Eine lange Frage?');
    turnLog.add({ kind: 'corrected', original: 'Eine lange Frage?', corrected: 'Eine …', eventId: 1 });
    say(turnLog, 'user', 'Ja.');
    await turnLog.finish();
    expect(state.transcript).toBe('Interviewer: Eine …\n\nDu: Ja.');
    expect([...rows.values()]).toEqual(['Eine lange Frage?', 'Ja.']);
  });

  test('Leaves a transcript at the limit, and removes NUL and lone surrogates (D19)', async () => {
    const { store, rows, state } = fakeStore();
    const { turnLog } = start(store, { transcriptMax: 20 });
    say(turnLog, 'user', 'kurz\0 \ud800');
    await flushPromises();
    expect(state.transcript).toBe('Du: kurz \ufffd');
    say(turnLog, 'agent', 'x'.repeat(30));
    await turnLog.finish();
    expect(state.transcript).toBe('Du: kurz \ufffd');
    expect(rows.size).toBe(2);
  });

  test.each([
    ['The page saves what it has after the late words were written', true],
    ['The page saves what it has before the late words are written', false],
  ])('%s: they stay in the transcript', async (_name, pageIsLater) => {
    const { store, state } = fakeStore();
    const { turnLog, clock } = start(store);
    say(turnLog, 'agent', 'Frage?');
    await turnLog.finish();
    const savePage = (): void => void (state.transcript = 'Interviewer: Frage?');
    if (!pageIsLater) savePage();
    say(turnLog, 'user', 'Späte Antwort.');
    await flushPromises();
    if (pageIsLater) savePage();
    clock.advance(5_000);
    await flushPromises();
    expect(state.transcript).toBe('Interviewer: Frage?\n\nDu: Späte Antwort.');
  });

  test('A server that stops writes late words again that the page has replaced, without the usual pause', async () => {
    const { store, state } = fakeStore();
    const { turnLog } = start(store);
    say(turnLog, 'agent', 'Frage?');
    await turnLog.finish();
    say(turnLog, 'user', 'Späte Antwort.');
    await flushPromises();
    state.transcript = 'Interviewer: Frage?';
    await turnLog.finish();
    expect(state.transcript).toBe('Interviewer: Frage?\n\nDu: Späte Antwort.');
  });

  test('A server that stops later writes late words no more that the person has removed', async () => {
    const { store, state } = fakeStore();
    const { turnLog, clock } = start(store);
    say(turnLog, 'agent', 'Frage?');
    await turnLog.finish();
    say(turnLog, 'user', 'Späte Antwort.');
    await flushPromises();
    clock.advance(5_000);
    await flushPromises();
    expect(state.transcript).toBe('Interviewer: Frage?\n\nDu: Späte Antwort.');
    state.transcript = 'Interviewer: Frage?';
    await turnLog.finish();
    expect(state.transcript).toBe('Interviewer: Frage?');
  });

  test('Late words and those before them are written once the database is back, also after the pause', async () => {
    const { store, state, failures } = fakeStore();
    const { turnLog, clock } = start(store);
    say(turnLog, 'user', 'Antwort');
    await flushPromises();
    failures.push(...Array.from({ length: 8 }, () => 'no connection' as const));
    say(turnLog, 'agent', 'Frage?');
    const finished = turnLog.finish();
    say(turnLog, 'user', 'Späte Antwort.');
    for (let second = 0; second < 60; second += 1) {
      clock.advance(1_000);
      await flushPromises();
    }
    await finished;
    expect(state.transcript).toBe('Du: Antwort\n\nInterviewer: Frage?\n\nDu: Späte Antwort.');
  });

  test('Late words change no transcript that the person has corrected', async () => {
    const { store, state } = fakeStore();
    const { turnLog, clock } = start(store);
    say(turnLog, 'user', 'Antwort');
    await turnLog.finish();
    say(turnLog, 'user', 'Späte Antwort.');
    await flushPromises();
    state.transcript = 'Du: Meine Antwort.';
    clock.advance(5_000);
    await flushPromises();
    expect(state.transcript).toBe('Du: Meine Antwort.');
  });
});
