import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SERVICE_LIMITS } from '#server/service-request.ts';
import { synthesize, transcribe } from '#server/voice-agent/services.ts';
import { connectHosted } from '#server/voice-agent/engines/hosted-connection.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createAccount } from '#tests/support/callers.ts';
import { IN_FLIGHT, startEndlessService, type Endless, type EndlessService } from '#tests/support/endless-service.ts';
import { fixture, postRecording, recordingForm } from '#tests/support/speech-app.ts';
import { STATE_MS } from '#tests/support/time-limits.ts';
import { getTicket, lastQuestion, loginHeaders, talk } from '#tests/support/voice-client.ts';

/** Threat 7: a service that answers without end costs its own request only. */
let endless: EndlessService;
let server: TestServer;
let headers: Record<string, string>;
beforeAll(async () => {
  endless = await startEndlessService();
  server = await bootServer({ TRANSCRIPTION_URL: endless.url, LLM_URL: endless.url });
  headers = await loginHeaders(server.backend.keys, await createAccount(server.databaseUrl, 'admin'));
});
afterAll(async () => {
  await server.stop();
  await endless.stop();
});

/** The reader went away by itself, soon after what it may read. */
async function expectStopped(maxBytes: number): Promise<void> {
  expect(await endless.ended()).toBe('reader');
  expect(endless.sent()).toBeLessThan(maxBytes + IN_FLIGHT);
}

const health = async (): Promise<number> => (await fetch(`${server.url}/health`)).status;
const delta = (content: string): string => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;

describe('transcription of a recording', () => {
  test.each<[string, Endless, number]>([
    ['a text', { head: '{"text":"', again: 'immer weiter ' }, SERVICE_LIMITS.transcriptionBytes],
    [
      'an error page',
      { status: 502, type: 'text/html', head: '<html>', again: '<p>Fehler' },
      SERVICE_LIMITS.errorBytes,
    ],
  ])(
    '%s without end is a failed transcription, and the server answers others (§7)',
    async (_name, answer, maxBytes) => {
      endless.answer(answer);
      const form = recordingForm(await fixture('sprache.wav'));
      const [response, other] = await Promise.all([postRecording(server.url, form, headers), health()]);
      expect([response.status, other]).toEqual([502, 200]);
      // Without words of the service the browser shows its own German ones.
      expect(await response.json()).toMatchObject({ error: { code: 'service_error', message: '' } });
      await expectStopped(maxBytes);
    },
  );

  test('a status with a page without end still says what it means (§7)', async () => {
    endless.answer({ status: 429, type: 'text/html', again: '<p>Zu viel' });
    const response = await postRecording(server.url, recordingForm(await fixture('sprache.wav')), headers);
    expect(response.status).toBe(429);
    await expectStopped(SERVICE_LIMITS.errorBytes);
  });
});

describe('services of the embedded interviewer', () => {
  const key = undefined;
  const patience = (): AbortSignal => AbortSignal.timeout(STATE_MS);

  test('Stops reading a spoken turn (speech.md)', async () => {
    endless.answer({ head: '{"text":"', again: 'und ' });
    const service = { url: endless.url, key, model: 'm', header: 'authorization' } as const;
    await expect(transcribe(service, Buffer.alloc(3_200))).rejects.toThrow('too long');
    await expectStopped(SERVICE_LIMITS.turnBytes);
  });

  test('Stops reading the sound of a sentence, and takes a page for no sound (speech.md)', async () => {
    const service = { url: endless.url, key, model: 'm', voice: 'v', sampleRate: 24_000 } as const;
    const maxBytes = (SERVICE_LIMITS.sentenceAudioMs / 1_000) * 24_000 * 2;
    let bytes = 0;
    const hear = async (): Promise<void> => {
      for await (const pcm of synthesize(service, 'Hallo.', patience())) bytes += pcm.length;
    };
    endless.answer({ type: 'audio/pcm', again: '\0' });
    await expect(hear()).rejects.toThrow('too long');
    expect(bytes).toBeLessThanOrEqual(maxBytes);
    await expectStopped(maxBytes);
    bytes = 0;
    endless.answer({ type: 'text/html', again: '<p>' });
    await expect(hear()).rejects.toThrow('speech answered');
    expect(bytes).toBe(0);
    await expectStopped(0);
  });

  test('Stops reading the answer to the call for a signed address (threat 7)', async () => {
    endless.answer({ head: '{"signed_url":"wss://', again: 'x' });
    await expect(connectHosted({ url: endless.url, key: 'k', agents: {} }, 'a', patience())).rejects.toThrow(
      'too long',
    );
    await expectStopped(SERVICE_LIMITS.signedUrlBytes);
  });
});

describe('a language model', () => {
  let line: Awaited<ReturnType<typeof talk>>;
  beforeEach(async () => {
    line = await talk((await getTicket(server.url, headers, { textOnly: true })).signedUrl, { textOnly: true });
    await line.next('agent_response');
  });
  afterEach(() => line.conversation.endSession());

  test.each<[string, Endless, RegExp]>([
    ['sentences', { again: delta('Noch ein Satz. ') }, /^Noch ein Satz\./],
    ['words without an end of a sentence', { again: delta('immer weiter ') }, /^immer weiter/],
    ['marks', { again: delta('......') }, /^\.\.\./],
    ['tokens without text', { again: delta('') }, /\?/],
    ['one line', { again: 'x'.repeat(1_000), head: 'data: ' }, /\?/],
    ['a page', { type: 'text/html', head: '<html>', again: '<p>' }, /\?/],
    ['an error page', { status: 502, type: 'text/html', again: '<p>' }, /\?/],
  ])(
    'that sends %s without end: the interview goes on, the server answers others (§7)',
    async (_name, answer, said) => {
      endless.answer(answer);
      for (const nth of [2, 3]) {
        line.conversation.sendUserMessage('Wir bauen gerade eine neue Halle für unsere Prüfstände.');
        expect(await health()).toBe(200);
        await line.next('agent_response', nth);
        expect(lastQuestion(line.of)).toMatch(said);
        expect(lastQuestion(line.of).length).toBeLessThan(SERVICE_LIMITS.modelCharacters + 100);
        await expectStopped(SERVICE_LIMITS.modelBytes);
      }
    },
  );
});
