import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#server/voice-agent/clock.ts';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createAccounts, login, type Account } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import { installModel } from '#tests/support/local-engine.ts';
import { fixture, postRecording, recordingForm } from '#tests/support/speech-app.ts';
import { fixturePcm, silence, speak } from '#tests/support/voice-audio.ts';
import { getTicket, loginHeaders, talk } from '#tests/support/voice-client.ts';
import { storedInterview } from '#tests/support/voice-rows.ts';
import { makeWhisperModel } from '#tests/support/whisper-model.ts';

/** What the generated model says to any sound of less than 12 s. */
const WORDS = 'Guten Morgen';

let server: TestServer;
let admin: Account;
let headers: Record<string, string>;
beforeAll(async () => {
  server = await bootServer();
  admin = (await createAccounts(server.databaseUrl)).admin;
  headers = await loginHeaders(server.backend.keys, admin);
});
afterAll(() => server.stop());

const getHealth = async (): Promise<unknown> => (await fetch(`${server.url}/health`)).json();

describe('A voice interview with nothing configured but a model on this machine', () => {
  test('Becomes possible with the installation, without a restart', async () => {
    expect(await getHealth()).toMatchObject({ transcription: 'not configured', voice: 'text' });
    expect(await getTicket(server.url, headers)).toMatchObject({ engine: 'browser', textOnly: true });
    await installModel(path.join(server.dataDir, 'models'), makeWhisperModel());
    expect(await getHealth()).toMatchObject({ transcription: 'configured', voice: 'embedded' });
    expect(await getTicket(server.url, headers)).toMatchObject({
      engine: 'embedded',
      textOnly: false,
      // The browser speaks.
      capabilities: { transcription: true, speech: false },
    });
    // The model is loaded now: a busy machine would take that long in the middle of the conversations below.
    expect((await postRecording(server.url, recordingForm(await fixture('sprache.wav')), headers)).status).toBe(200);
  });

  test('Asks from the question bank, hears two answers and stores them', async () => {
    const id = await createInterview(server.backend.database, login(admin));
    const ticket = await getTicket(server.url, headers, { interviewId: id });
    const line = await talk(ticket.signedUrl);
    await line.next('agent_response');
    for (const [at, name] of ['satz-a.wav', 'satz-b.wav'].entries()) {
      const asked = line.of('agent_response').length;
      await speak(line, Buffer.concat([silence(500), await fixturePcm(name), silence(1_500)]), systemClock);
      const said = await line.next('user_transcript', at + 1);
      expect(said.user_transcription_event.user_transcript).toBe(WORDS);
      await line.next('agent_response', asked + 1);
    }
    line.conversation.endSession();
    await expect
      .poll(async () => (await storedInterview(server.backend.database, id)).transcript.split(WORDS).length - 1)
      .toBe(2);
  });

  test('Names the contributor’s area to the model', async () => {
    const { signedUrl } = await getTicket(server.url, headers, { area: 'firma-a' });
    const line = await talk(signedUrl);
    await line.next('agent_response');
    await speak(line, Buffer.concat([silence(500), await fixturePcm('satz-a.wav'), silence(1_500)]), systemClock);
    const said = await line.next('user_transcript');
    // The generated decoder follows positions alone, so a prompt before it moves what it says.
    expect(said.user_transcription_event.user_transcript).toBe('Morgen');
    line.conversation.endSession();
  });
});
