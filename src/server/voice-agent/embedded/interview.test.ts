import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { testClock, type TestClock } from '#tests/support/voice-clock.ts';
import { ServerMessageSchema, type WireMessage } from '#tests/support/voice-schema.ts';
import type { Stage } from '../engines/engine.ts';
import { createBankBrain } from '../interviewer/bank-brain.ts';
import { BANKS } from '../interviewer/banks.ts';
import type { Ending } from '../wire/ending.ts';
import { createInterview, type Interview } from './interview.ts';

const STOP = 'Ich möchte jetzt aufhören.';

let clock: TestClock;
let sent: WireMessage[];
let ended: Ending[];
let userSpeaks: boolean;
let interview: Interview;
beforeEach(async () => {
  clock = testClock();
  sent = [];
  ended = [];
  userSpeaks = false;
  let eventId = 0;
  const stage: Stage = {
    conversationId: 'conv_1',
    brief: { area: 'generic', topic: 'free-topic', context: '', earlier: [] },
    start: { firstMessage: undefined, language: 'de', textOnly: false, variables: {} },
    send: (message) => void sent.push(ServerMessageSchema.parse(message)),
    forward: () => undefined,
    nextEventId: () => (eventId += 1),
    end: (ending) => {
      ended.push(ending);
      interview.stop();
    },
    clock,
    log: pino({ level: 'silent' }),
  };
  interview = createInterview({
    stage,
    brain: createBankBrain('free-topic', [], undefined),
    voice: { kind: 'browser' },
    onFloor: () => undefined,
    userSpeaks: () => userSpeaks,
  });
  interview.open();
  await settled();
  clock.advance(60_000);
});

/** A reply comes in pieces, each a microtask of its own. */
const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const agentLines = (): string[] =>
  sent.flatMap((one) => (one.type === 'agent_response' ? [one.agent_response_event.agent_response] : []));
const userLines = (): string[] =>
  sent.flatMap((one) => (one.type === 'user_transcript' ? [one.user_transcription_event.user_transcript] : []));
const types = (): string[] => sent.map((one) => one.type);

async function answer(words: string): Promise<void> {
  interview.answer(words);
  await settled();
}

describe('the closing words', () => {
  beforeEach(async () => {
    await answer(STOP);
    expect(agentLines().at(-1)).toMatch(/Vielen Dank für deine Zeit!$/);
    expect(ended).toEqual([]);
  });

  test('once they were heard the interview ends', () => {
    clock.advance(60_000);
    expect(types().at(-1)).toBe('agent_tool_response');
    expect(ended).toMatchObject([{ code: 1000 }]);
  });

  test('whoever goes on over them is recorded, not answered: end_call at once', async () => {
    const before = agentLines().length;
    await answer('Danke dir, tschüss!');
    expect(userLines().at(-1)).toBe('Danke dir, tschüss!');
    expect(types().slice(-2)).toEqual(['user_transcript', 'agent_tool_response']);
    expect(agentLines()).toHaveLength(before);
    expect(ended).toMatchObject([{ code: 1000 }]);
    clock.advance(60_000);
    expect(ended).toHaveLength(1);
  });

  test('speaking over them silences nothing; the last words are waited for', async () => {
    interview.interrupt();
    expect(types()).not.toContain('interruption');
    userSpeaks = true;
    clock.advance(8_000);
    expect(ended).toEqual([]);
    await answer('Danke dir!');
    expect(userLines().at(-1)).toBe('Danke dir!');
    expect(ended).toMatchObject([{ code: 1000 }]);
  });

  test('a noise that never becomes words does not keep the line open', () => {
    interview.interrupt();
    userSpeaks = true;
    clock.advance(60_000);
    expect(ended).toMatchObject([{ code: 1000 }]);
  });

  test.each(['reprompt', 'interject'] as const)('are the last ones: no %s after them', (what) => {
    const before = agentLines().length;
    if (what === 'reprompt') interview.reprompt();
    else interview.interject('Das habe ich nicht verstanden.');
    expect(agentLines()).toHaveLength(before);
    expect(ended).toMatchObject([{ code: 1000 }]);
  });
});

test('whoever was thought to be gone and speaks after all goes on with the interview', async () => {
  for (let silence = 0; silence < 3; silence++) {
    interview.reprompt();
    await settled();
  }
  expect(agentLines().at(-1)).toMatch(/^Ich höre dich gerade nicht mehr/);
  interview.interrupt();
  expect(types()).toContain('interruption');
  await answer('Doch, ich bin noch da und erzähle gern weiter von unserer Halle.');
  expect(agentLines().at(-1)).toContain(BANKS['free-topic'].questions[1]?.text);
  clock.advance(60_000);
  expect(ended).toEqual([]);
});
