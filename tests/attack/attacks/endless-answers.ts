import { setTimeout as wait } from 'node:timers/promises';
import { fixture, recordingForm } from '#tests/support/speech-app.ts';
import { fixturePcm } from '#tests/support/voice-audio.ts';
import { getTicket } from '#tests/support/voice-client.ts';
import { INITIATION, rawCall, type RawCall } from '#tests/support/voice-socket.ts';
import type { Arrangement, Attack } from '../attack.ts';
import { startEndlessService, type EndlessAnswer } from '../endless-service.ts';
import type { Tally } from '../tally.ts';
import type { Target } from '../target.ts';

/** Far more than an honest service sends, and than waits in the buffers of a socket. */
const MOST_MIB = 32;
const WATCHED_MS = 15_000;

const TOKEN = `data: ${JSON.stringify({ choices: [{ delta: { content: 'wort ' } }] })}\n\n`;
const SENTENCE = `data: ${JSON.stringify({ choices: [{ delta: { content: 'Das ist ein ganzer Satz. ' } }] })}\n\n`;
const EVENTS = 'text/event-stream';
const JSON_TEXT = { type: 'application/json', head: '{"text":"', piece: 'endlos ', tail: '"}' };

export const endlessAnswers: readonly Attack[] = [
  typed('endless-sentences', 'a language model that never stops: sentences', { type: EVENTS, piece: SENTENCE }),
  typed('endless-tokens', 'a language model that never stops: words without an end', { type: EVENTS, piece: TOKEN }),
  typed('huge-line', 'a language model that sends one line of 1 GiB', {
    type: EVENTS,
    head: 'data: {"choices":[{"delta":{"content":"',
    piece: 'x',
  }),
  typed('huge-page', 'a language model that sends an HTML page of 1 GiB', {
    type: 'text/html',
    piece: '<p>Wartung</p>\n',
  }),
  {
    name: 'endless-transcript',
    about: 'a transcription service that never stops, three recordings at once',
    arrange: () => arrangeService(JSON_TEXT, (url) => ({ TRANSCRIPTION_URL: url }), transcribe),
  },
  {
    name: 'endless-hearing',
    about: 'a transcription service that never stops, in three interviews',
    arrange: () => arrangeService(JSON_TEXT, (url) => ({ TRANSCRIPTION_URL: url }), speak),
  },
];

/** Three interviews in which something is typed. */
function typed(name: string, about: string, answer: EndlessAnswer): Attack {
  return {
    name,
    about: `${about}, in three interviews`,
    arrange: () => arrangeService(answer, (url) => ({ LLM_URL: url }), type),
  };
}

type Calls = RawCall[];

async function arrangeService(
  answer: EndlessAnswer,
  buildEnv: (url: string) => Record<string, string>,
  run: (target: Target, tally: Tally, calls: Calls) => Promise<void>,
): Promise<Arrangement> {
  const service = await startEndlessService(answer);
  const calls: Calls = [];
  return {
    env: { ...buildEnv(service.url), VOICE_SESSIONS_PER_USER: '10' },
    run: async (target, tally) => {
      await run(target, tally, calls);
      if (service.calls() === 0) tally.fail('the service was never called');
      if (service.longest() > MOST_MIB) tally.fail(`${service.longest()} MiB of one answer were read`);
    },
    close: async () => {
      calls.forEach(({ socket }) => socket.terminate());
      await service.stop();
    },
  };
}

async function transcribe(target: Target, tally: Tally): Promise<void> {
  const recording = await fixture('sprache.wav');
  const { authorization = '', apikey = '' } = target.attackingMember;
  const post = (): Promise<number | string> =>
    fetch(`${target.url}/v1/audio/transcriptions`, {
      method: 'POST',
      body: recordingForm(recording),
      headers: { authorization, apikey },
      signal: AbortSignal.timeout(WATCHED_MS),
    }).then(
      ({ status }) => status,
      () => 'late',
    );
  for (const status of await Promise.all([post(), post(), post()])) {
    tally.count(status);
    if (status === 200 || status === 'late') tally.fail(`an endless transcript was answered: ${status}`);
  }
}

async function open(target: Target, calls: Calls, isTextOnly: boolean): Promise<RawCall> {
  const { signedUrl } = await getTicket(target.url, target.attackingMember, { textOnly: isTextOnly });
  const call = await rawCall(signedUrl);
  calls.push(call);
  call.send({ ...INITIATION, conversation_config_override: { conversation: { text_only: isTextOnly } } });
  await call.until('conversation_initiation_metadata');
  return call;
}

async function type(target: Target, tally: Tally, calls: Calls): Promise<void> {
  const opened = await Promise.all([1, 2, 3].map(() => open(target, calls, true)));
  for (const call of opened) call.send({ type: 'user_message', text: 'Ich habe eine Prüfmaschine gebaut.' });
  await watch(tally, opened);
}

async function speak(target: Target, tally: Tally, calls: Calls): Promise<void> {
  const opened = await Promise.all([1, 2, 3].map(() => open(target, calls, false)));
  const pcm = Buffer.concat([await fixturePcm('satz-a.wav'), Buffer.alloc(64_000)]);
  for (let at = 0; at < pcm.length; at += 8_000) {
    const audio = pcm.subarray(at, at + 8_000).toString('base64');
    for (const call of opened) call.send({ user_audio_chunk: audio });
    await wait(250);
  }
  await watch(tally, opened);
}

/** An interview may go on or end with a code; what it must not do is grow. */
async function watch(tally: Tally, opened: Calls): Promise<void> {
  await Promise.race([Promise.all(opened.map(({ closed }) => closed)), wait(WATCHED_MS)]);
  for (const call of opened) tally.count(call.socket.readyState === call.socket.OPEN ? 'goes on' : 'ended');
}
