import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { formatTranscript } from '#contract/transcript.ts';
import { testClock, type TestClock } from '#tests/support/voice-clock.ts';
import { ServerMessageSchema, type WireMessage } from '#tests/support/voice-schema.ts';
import type { ChatMessage } from '../../language-model.ts';
import type { EngineContext } from '../engines/engine.ts';
import { createBankInterviewer } from '../interviewer/bank-interviewer.ts';
import { BANKS } from '../interviewer/banks.ts';
import type { Interviewer } from '../interviewer/interviewer.ts';
import { LlmInterviewer } from '../interviewer/llm-interviewer.ts';
import type { Ending } from '../errors.ts';
import { EmbeddedInterviewRunner, type InterviewRunner } from './interview-runner.ts';

const STOP = 'Ich möchte jetzt aufhören.';

let clock: TestClock;
let sent: WireMessage[];
let ended: Ending[];
let userSpeaks: boolean;
let interview: InterviewRunner;
let context: EngineContext;
beforeEach(async () => {
  clock = testClock();
  sent = [];
  ended = [];
  userSpeaks = false;
  let eventId = 0;
  context = {
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
  await begin(createBankInterviewer('free-topic', [], undefined));
});

async function begin(interviewer: Interviewer): Promise<void> {
  interview = new EmbeddedInterviewRunner({
    context,
    interviewer,
    voice: { kind: 'browser' },
    onAgentTurn: () => undefined,
    userSpeaks: () => userSpeaks,
  });
  interview.open();
  await settled();
  clock.advance(60_000);
}

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

describe('Closing words', () => {
  beforeEach(async () => {
    await answer(STOP);
    expect(agentLines().at(-1)).toMatch(/Vielen Dank für deine Zeit!$/);
    expect(ended).toEqual([]);
  });

  test('End the interview once they were heard', () => {
    clock.advance(60_000);
    expect(types().at(-1)).toBe('agent_tool_response');
    expect(ended).toMatchObject([{ code: 1000 }]);
  });

  test('Record an answer over them without a reply and end at once', async () => {
    const before = agentLines().length;
    await answer('Danke dir, tschüss!');
    expect(userLines().at(-1)).toBe('Danke dir, tschüss!');
    expect(types().slice(-2)).toEqual(['user_transcript', 'agent_tool_response']);
    expect(agentLines()).toHaveLength(before);
    expect(ended).toMatchObject([{ code: 1000 }]);
    clock.advance(60_000);
    expect(ended).toHaveLength(1);
  });

  test('Go on when the user speaks over them, and wait for the last words', async () => {
    interview.interrupt();
    expect(types()).not.toContain('interruption');
    userSpeaks = true;
    clock.advance(8_000);
    expect(ended).toEqual([]);
    await answer('Danke dir!');
    expect(userLines().at(-1)).toBe('Danke dir!');
    expect(ended).toMatchObject([{ code: 1000 }]);
  });

  test('End after a noise that never becomes words', () => {
    interview.interrupt();
    userSpeaks = true;
    clock.advance(60_000);
    expect(ended).toMatchObject([{ code: 1000 }]);
  });

  test.each(['reprompt', 'interject'] as const)('Allow no %s after them', (what) => {
    const before = agentLines().length;
    if (what === 'reprompt') interview.reprompt();
    else interview.interject('Das habe ich nicht verstanden.');
    expect(agentLines()).toHaveLength(before);
    expect(ended).toMatchObject([{ code: 1000 }]);
  });
});

async function fallSilent(): Promise<void> {
  for (let silence = 0; silence < 3; silence++) {
    interview.reprompt();
    await settled();
  }
  expect(agentLines().at(-1)).toMatch(/^Ich höre dich gerade nicht mehr/);
}

test('Breaks off where the user is gone, so that the interview can be continued as the farewell says', async () => {
  await fallSilent();
  clock.advance(60_000);
  expect(types()).not.toContain('agent_tool_response');
  expect(ended).toMatchObject([{ code: 1008, reason: 'no activity' }]);
});

test('Continues the interview with a user who speaks after the farewell', async () => {
  await fallSilent();
  interview.interrupt();
  expect(types()).toContain('interruption');
  await answer('Doch, ich bin noch da und erzähle gern weiter von unserer Halle.');
  expect(agentLines().at(-1)).toContain(BANKS['free-topic'].questions[1]?.text);
  clock.advance(60_000);
  expect(ended).toEqual([]);
});

describe('With a language model', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  const streamed = async (): Promise<void> => {
    for (let step = 0; step < 50; step++) await settled();
  };
  const beginWith = async (...pieces: readonly string[]): Promise<void> => {
    const events = pieces.map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
    // As the templates of Mistral and Gemma do.
    const refuses = (body: string): boolean => {
      const [, ...said] = JSON.parse(body).messages as ChatMessage[];
      return said.some(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant'));
    };
    vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) =>
      refuses(body) ? new Response('', { status: 400 }) : new Response(events.join('')),
    );
    const { brief, start } = context;
    const bank = createBankInterviewer('free-topic', [], undefined);
    const service = { url: 'http://model.test', key: undefined, model: 'm' };
    await begin(new LlmInterviewer({ service, brief, start, bank, onError: () => undefined }));
  };

  test('An answer ends the count of silences', async () => {
    await beginWith('Spannend. Wie ging es weiter?');
    for (let silence = 0; silence < 4; silence++) {
      interview.reprompt();
      await settled();
      interview.answer('Einen Moment musste ich nachdenken.');
      await streamed();
      expect(agentLines().at(-1)).toBe('Spannend. Wie ging es weiter?');
      clock.advance(60_000);
    }
    expect(agentLines().join(' ')).not.toContain('Ich höre dich gerade nicht mehr');
    expect(ended).toEqual([]);
  });

  test.each([
    [['**Spannend!** 😊\n\n', '- Wie ging es `C#` weiter? 👍🏽 ❤️'], 'Spannend! Wie ging es C# weiter?'],
    [['\n<thi', 'nk>Okay, the user says', ' <3.</think>\n\nWie', ' schwer?'], 'Wie schwer?'],
    [['<think>\n\n</think>\n\nWie schwer? 🎉'], 'Wie schwer?'],
    [['<', '10 kg? Gut.'], '<10 kg? Gut.'],
  ])('Says of %j only what can be said', async (pieces, said) => {
    await beginWith(...pieces);
    await answer('Zehn Kilogramm.');
    await streamed();
    expect(agentLines()[2]).toBe(said);
  });

  test('A model whose template wants turns in order replies, also after an answer over its reply', async () => {
    await beginWith('Spannend. Wie schwer?');
    for (const words of ['Wir bauen eine neue Halle.', 'In Bremen.', 'Zehn Kilogramm.']) {
      await answer(words);
      await streamed();
    }
    expect(agentLines().slice(2)).toEqual(Array(3).fill('Spannend. Wie schwer?'));
  });

  test('The question bank asks where there are nothing but thoughts', async () => {
    await beginWith('<think>Okay, the user', ' says that');
    await answer('Wir bauen gerade eine neue Halle mit Prüfständen.');
    await streamed();
    expect(agentLines()[2]).toContain(BANKS['free-topic'].questions[1]?.text);
  });
});

test('§3 an answer that is not understood leaves its question in the transcript', async () => {
  await answer('Wir bauen gerade eine neue Halle.');
  clock.advance(60_000);
  interview.interject('Das habe ich leider nicht verstanden.');
  await settled();
  await answer('Zwölf Leute aus drei Abteilungen.');
  const transcript = formatTranscript([
    { speaker: 'agent', text: agentLines()[2] ?? '' },
    { speaker: 'user', text: userLines()[1] ?? '' },
  ]);
  expect(agentLines()[2]).toMatch(/^Das habe ich leider nicht verstanden\./);
  expect(transcript).toContain(BANKS['free-topic'].questions[1]?.text);
});

test('Says nothing about words that were not understood over its reply to a typed answer', async () => {
  await answer('Wir bauen gerade eine neue Halle.');
  const lines = agentLines();
  interview.interject('Das habe ich leider nicht verstanden.');
  await settled();
  expect(agentLines()).toEqual(lines);
});

describe('A question cut by a sound', () => {
  beforeEach(async () => {
    await answer('Wir bauen gerade eine neue Halle.');
    interview.interrupt();
    expect(types().at(-1)).toBe('interruption');
  });

  test('Is asked again and stays whole in the record where the sound was no words', async () => {
    const question = agentLines().at(-1);
    interview.resume();
    await settled();
    expect(agentLines().at(-1)).toBe(question);
    expect(types()).not.toContain('agent_response_correction');
  });

  test('Is corrected to the words heard before the words that cut it', async () => {
    await answer('Einen Moment bitte.');
    expect(types().slice(-3)).toEqual(['agent_response_correction', 'user_transcript', 'agent_response']);
    const lines = agentLines().length;
    clock.advance(60_000);
    interview.resume();
    await settled();
    expect(agentLines()).toHaveLength(lines);
  });
});

describe('§2.5 Words that are understood after the end', () => {
  test('Follow an answer that the interviewer had not replied to: a turn replaces the one before it', () => {
    interview.answer('Wir haben eine Pumpe gebaut,');
    interview.stop();
    interview.record('die ohne Strom läuft.');
    expect(userLines().at(-1)).toBe('Wir haben eine Pumpe gebaut, die ohne Strom läuft.');
  });

  test('Are a turn of their own after a reply', async () => {
    await answer('Wir haben eine Pumpe gebaut.');
    interview.stop();
    interview.record('Sie läuft ohne Strom.');
    expect(userLines().at(-1)).toBe('Sie läuft ohne Strom.');
  });
});
