import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { testClock, type TestClock } from '#tests/support/voice-clock.ts';
import { createJobQueue, type QueuedJob } from '../../speech/local/queue.ts';
import type { VoiceDetector } from '../audio/vad.ts';
import type { EngineContext } from '../engines/engine.ts';
import {
  createLocalTranscriber,
  createServiceTranscriber,
  TooSlowError,
  type LocalTranscription,
} from '../services.ts';
import { Listener } from './listener.ts';
import type { InterviewRunner } from './interview-runner.ts';
import { TURN_TAKING } from './turn-taking.ts';

/** Speech is whatever is not silent. */
const DETECTOR: VoiceDetector = {
  open: () => ({ judge: (frame) => (frame[0] === 0 ? 0 : 1) }),
};
const CHUNK_MS = 250;
/** After one second of speech, in frames of 32 ms. */
const LAST_SPEECH_MS = 1_024;

type Request = Readonly<{ atMs: number; closed: Promise<void>; answer: (text: string) => void }>;

let clock: TestClock;
let requests: Request[];
let answers: { words: string; atMs: number }[];
let hearing: Listener;
let stop: () => Promise<void>;
beforeEach(async () => {
  clock = testClock();
  requests = [];
  answers = [];
  const server = createServer((request, response) => {
    request.resume();
    requests.push({ atMs: clock.now(), closed: getClose(response), answer: (text) => reply(response, text) });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  hearing = new Listener({
    context: context(),
    transcriber: createServiceTranscriber({
      url: `http://127.0.0.1:${port}/`,
      key: undefined,
      model: 'm',
      header: 'authorization',
    }),
    detector: DETECTOR,
    runner: () => INTERVIEW,
  });
  stop = async () => {
    void hearing.stop();
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  };
});
afterEach(() => stop());

const INTERVIEW: InterviewRunner = {
  open: () => undefined,
  answer: (words) => void answers.push({ words, atMs: clock.now() }),
  interrupt: () => undefined,
  resume: () => undefined,
  reprompt: () => undefined,
  interject: () => undefined,
  record: () => undefined,
  stop: () => undefined,
};

function context(): EngineContext {
  return {
    conversationId: 'c',
    brief: { area: 'generic', topic: 'free-topic', context: '', earlier: [] },
    start: { firstMessage: undefined, language: 'de', textOnly: false, variables: {} },
    send: () => undefined,
    forward: () => undefined,
    nextEventId: () => 1,
    end: () => undefined,
    clock,
    log: pino({ level: 'silent' }),
  };
}

function getClose(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => void response.once('close', resolve));
}

function reply(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));
}

/** Lets everything that needs no time happen. */
const flushPromises = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A microphone: each quarter of a second comes when it was spoken. */
async function listen(sample: 0 | 1, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += CHUNK_MS) {
    clock.advance(CHUNK_MS);
    hearing.push(Buffer.alloc(CHUNK_MS * 32, sample).toString('base64'));
    await flushPromises();
  }
}

const requestNumber = async (nth: number): Promise<Request> => {
  await expect.poll(() => requests.length).toBe(nth);
  return requests[nth - 1] ?? expect.fail();
};

test('Transcribes in the first pause, so that the words are ready after 0.9 s of silence', async () => {
  await listen(1, 1_000);
  await listen(0, 500);
  const request = await requestNumber(1);
  expect(request.atMs).toBeLessThan(LAST_SPEECH_MS + 900);
  request.answer('Wir bauen eine Halle.');
  await request.closed;
  await listen(0, 250);
  expect(answers).toEqual([]);
  clock.advance(LAST_SPEECH_MS + 899 - clock.now());
  await flushPromises();
  expect(answers).toEqual([]);
  clock.advance(1);
  await expect.poll(() => answers).toEqual([{ words: 'Wir bauen eine Halle.', atMs: LAST_SPEECH_MS + 900 }]);
  expect(requests).toHaveLength(1);
});

test('Cancels the early request when the user goes on, and sends the whole segment at the next pause', async () => {
  await listen(1, 1_000);
  await listen(0, 500);
  const vain = await requestNumber(1);
  await listen(1, 500);
  await vain.closed;
  expect(answers).toEqual([]);
  await listen(0, 500);
  (await requestNumber(2)).answer('Wir bauen eine Halle in Bremen.');
  await listen(0, 750);
  await expect.poll(() => answers.map(({ words }) => words)).toEqual(['Wir bauen eine Halle in Bremen.']);
});

test('Keeps a sentence whole when the line stalls in its middle', async () => {
  await listen(1, 1_000);
  clock.advance(2_000);
  for (let piece = 0; piece < 8; piece += 1) hearing.push(Buffer.alloc(CHUNK_MS * 32, 1).toString('base64'));
  await listen(1, 500);
  await listen(0, 500);
  (await requestNumber(1)).answer('Wir bauen eine Halle in Bremen.');
  await listen(0, 750);
  await expect.poll(() => answers.map(({ words }) => words)).toEqual(['Wir bauen eine Halle in Bremen.']);
  expect(requests).toHaveLength(1);
});

test('Ends the turn when a late transcription arrives', async () => {
  await listen(1, 1_000);
  await listen(0, 500);
  const request = await requestNumber(1);
  await listen(0, 2_000);
  expect(answers).toEqual([]);
  request.answer('Spät.');
  await expect.poll(() => answers.map(({ words }) => words)).toEqual(['Spät.']);
  expect(requests).toHaveLength(1);
});

test('Ticks no more once a tick has ended the conversation', () => {
  let reprompts = 0;
  const listener = new Listener({
    context: context(),
    transcriber: { transcribe: async () => '', startsEarly: false },
    detector: DETECTOR,
    runner: () => ({
      ...INTERVIEW,
      reprompt: () => {
        reprompts += 1;
        void listener.stop();
      },
    }),
  });
  clock.advance(5 * TURN_TAKING.repromptMs);
  expect(reprompts).toBe(1);
});

type SlowJob = QueuedJob & Readonly<{ finish: (words: string) => void }>;

/** A model on this machine with the real queue; a job takes until the test ends it. */
function slowMachine() {
  const queue = createJobQueue<SlowJob>();
  const local: LocalTranscription = {
    isInstalled: async () => true,
    hold: () => queue.hold('turn'),
    transcribe: async (wav, { conversation }) => {
      const { promise, resolve: finish } = Promise.withResolvers<string>();
      const onPlace = (): void => undefined;
      queue.add({ caller: `conversation:${conversation}`, priority: 'turn', bytes: wav.length, onPlace, finish });
      return promise;
    },
  };
  const finishNext = async (words: string): Promise<void> => {
    await expect.poll(() => queue.size()).toBeGreaterThan(0);
    const job = queue.next() ?? expect.fail();
    queue.remove(job);
    job.finish(words);
  };
  return { local, finishNext };
}

test('Hears all of somebody who speaks for minutes with short pauses, or of voices around, as one turn', async () => {
  const heardMs: number[] = [];
  hearing = new Listener({
    context: context(),
    transcriber: {
      transcribe: async (pcm) => `Teil ${heardMs.push(pcm.length / 32)}.`,
      startsEarly: false,
    },
    detector: DETECTOR,
    runner: () => INTERVIEW,
  });
  const [speechMs, pauseMs, times] = [10_000, 500, 20];
  for (let time = 0; time < times; time += 1) {
    await listen(1, speechMs);
    await listen(0, pauseMs);
  }
  expect(answers).toEqual([]);
  await listen(0, 1_000);
  expect(heardMs.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(times * speechMs);
  const words = heardMs.map((_, at) => `Teil ${at + 1}.`).join(' ');
  await expect.poll(() => answers.map((answer) => answer.words)).toEqual([words]);
});

test('Understands every sentence on a machine that is slower than the speaker', async () => {
  const { local, finishNext } = slowMachine();
  const ended: unknown[] = [];
  hearing = new Listener({
    context: { ...context(), end: (ending) => void ended.push(ending) },
    transcriber: createLocalTranscriber(local, { conversation: 'c', prompt: '' }),
    detector: DETECTOR,
    runner: () => INTERVIEW,
  });
  const sentences = ['Eins.', 'Zwei.', 'Drei.', 'Vier.', 'Fünf.', 'Sechs.'];
  for (let spoken = 0; spoken < sentences.length; spoken += 1) {
    await listen(1, 1_000);
    await listen(0, 1_000);
  }
  expect(ended).toEqual([]);
  for (const sentence of sentences) await finishNext(sentence);
  await expect.poll(() => answers.map(({ words }) => words)).toEqual([sentences.join(' ')]);
});

test.each([
  ['Answers the words before a segment that fails, and asks for nothing', 'Wir bauen eine Halle.', 0],
  ['Asks to repeat a segment that fails where there are no words', '', 1],
])('%s', async (_name, before, interjected) => {
  const heard: PromiseWithResolvers<string>[] = [];
  let interjections = 0;
  hearing = new Listener({
    context: context(),
    transcriber: {
      transcribe: () => (heard[heard.push(Promise.withResolvers()) - 1] ?? expect.fail()).promise,
      startsEarly: false,
    },
    detector: DETECTOR,
    runner: () => ({ ...INTERVIEW, interject: () => void (interjections += 1) }),
  });
  await listen(1, 1_000);
  await listen(0, 1_000);
  await listen(1, 500);
  heard[0]?.resolve(before);
  await listen(0, 1_000);
  // A segment that fails is sent once more.
  for (const nth of [1, 2]) {
    await expect.poll(() => heard.length).toBe(nth + 1);
    heard[nth]?.reject(new Error('failed'));
  }
  await flushPromises();
  expect(answers.map(({ words }) => words)).toEqual(before === '' ? [] : [before]);
  expect(interjections).toBe(interjected);
});

test('Asks to write where the machine is too slow for what was said, and not to say it again', async () => {
  const interjected: string[] = [];
  hearing = new Listener({
    context: context(),
    transcriber: { transcribe: () => Promise.reject(new TooSlowError()), startsEarly: false },
    detector: DETECTOR,
    runner: () => ({ ...INTERVIEW, interject: (sentence) => void interjected.push(sentence) }),
  });
  await listen(1, 1_000);
  await listen(0, 1_000);
  await expect.poll(() => interjected).toEqual([expect.stringContaining('Bitte schreib mir deine Antwort.')]);
});
