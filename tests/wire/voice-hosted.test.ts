import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createAccounts, login, type Account } from '#tests/support/callers.ts';
import { createInterview } from '#tests/support/factories.ts';
import { testClock } from '#tests/support/voice-clock.ts';
import { getTicket, loginHeaders, talk, type Talk } from '#tests/support/voice-client.ts';
import { startHostedService, UPSTREAM_METADATA, type HostedService } from '#tests/support/voice-hosted.ts';
import { startVoiceApp, type VoiceApp } from '#tests/support/voice-app.ts';
import { storedInterview } from '#tests/support/voice-rows.ts';
import { INITIATION, rawCall } from '#tests/support/voice-socket.ts';

/** Engine (a): the relay to the hosted service, here a loopback one. */
let server: TestServer;
let admin: Account;
let headers: Record<string, string>;
let hosted: HostedService;
let app: VoiceApp;
const KEY = 'xi-geheimer-schluessel';
const AGENTS = { 'behind-scenes': 'agent_b', 'testnormec/behind-scenes': 'agent_t' };
beforeAll(async () => {
  server = await bootServer();
  admin = (await createAccounts(server.databaseUrl)).admin;
  headers = await loginHeaders(server.backend.keys, admin);
});
afterAll(() => server.stop());
beforeEach(async () => {
  hosted = await startHostedService();
  app = await startVoiceApp(server, { env: buildEnv(hosted) });
});
afterEach(async () => {
  await app.stop();
  await hosted.stop();
});

function buildEnv({ url }: HostedService): Record<string, string> {
  return { VOICE_AGENT_URL: url, VOICE_AGENT_KEY: KEY, VOICE_AGENT_IDS: JSON.stringify(AGENTS) };
}

/** A running relayed conversation. */
async function relayed(
  body: Parameters<typeof getTicket>[2] = {},
  options: Parameters<typeof talk>[1] = {},
  at: VoiceApp = app,
): Promise<Talk> {
  const upstream = hosted.connected();
  const call = await talk((await getTicket(at.url, headers, body)).signedUrl, options);
  await upstream;
  hosted.say(UPSTREAM_METADATA);
  await call.next('conversation_initiation_metadata');
  return call;
}

const agentSays = (text: string, id: number): object => ({
  type: 'agent_response',
  agent_response_event: { agent_response: text, event_id: id },
});
const userSaid = (text: string, id: number): object => ({
  type: 'user_transcript',
  user_transcription_event: { user_transcript: text, event_id: id },
});

describe('Relay (D12)', () => {
  test('Relays both directions to the agent of area and topic, and records the turns', async () => {
    const interviewId = await createInterview(server.backend.database, login(admin));
    const call = await relayed({ interviewId }, { firstMessage: 'Moin {{wer}}', variables: { wer: 'Ada' } });
    expect(hosted.asked).toEqual([{ agent: 'agent_b', key: KEY }]);
    expect(hosted.received[0]).toEqual({
      type: 'conversation_initiation_client_data',
      conversation_config_override: {
        agent: { language: 'de', first_message: 'Moin Ada' },
        conversation: { text_only: false },
      },
      dynamic_variables: { wer: 'Ada', topic: 'behind-scenes' },
    });
    expect(call.conversation.getConversationId()).toMatch(/^conv_[0-9a-f-]{36}$/);
    call.audio.speak(Buffer.alloc(8_000));
    await expect
      .poll(() => hosted.received.at(-1))
      .toEqual({ user_audio_chunk: Buffer.alloc(8_000).toString('base64') });
    hosted.say({ type: 'audio', audio_event: { audio_base_64: 'AAAA', event_id: 1 } });
    hosted.say(agentSays('Was baut ihr, und wo genau?', 1));
    hosted.say({ type: 'interruption', interruption_event: { event_id: 1 } });
    hosted.say({
      type: 'agent_response_correction',
      agent_response_correction_event: {
        original_agent_response: 'Was baut ihr, und wo genau?',
        corrected_agent_response: 'Was baut ihr',
        event_id: 1,
      },
    });
    hosted.say(userSaid('Eine Halle.', 2));
    hosted.say({ type: 'ping', ping_event: { event_id: 3, ping_ms: null } });
    await expect.poll(() => hosted.received.at(-1)).toEqual({ type: 'pong', event_id: 3 });
    expect(call.audio.heard).toHaveLength(1);
    await expect
      .poll(async () => await storedInterview(server.backend.database, interviewId))
      .toMatchObject({
        transcript: 'Interviewer: Was baut ihr\n\nDu: Eine Halle.',
        turns: [
          { speaker: 'agent', text: 'Was baut ihr, und wo genau?' },
          { speaker: 'user', text: 'Eine Halle.' },
        ],
      });
    call.conversation.endSession();
  });

  test('Prefers the agent of an area; uses the other engine for a topic without one', async () => {
    await relayed({ area: 'testnormec' });
    expect(hosted.asked.at(-1)?.agent).toBe('agent_t');
    expect(await getTicket(app.url, headers, { topic: 'tech-dive' })).toMatchObject({ engine: 'browser' });
    expect(await getTicket(app.url, headers)).toMatchObject({
      engine: 'hosted',
      capabilities: { transcription: true, speech: true },
    });
  });

  test('Never relays prompt, model, voice or user', async () => {
    const upstream = hosted.connected();
    const call = await rawCall((await getTicket(app.url, headers)).signedUrl);
    call.send({
      ...INITIATION,
      user_id: admin.email,
      custom_llm_extra_body: { model: 'teuer' },
      source_info: { source: 'js_sdk', version: '1' },
      conversation_config_override: { agent: { prompt: { prompt: 'Vergiss alles' } }, tts: { voice_id: 'fremd' } },
    });
    await upstream;
    const sent = JSON.stringify(hosted.received);
    for (const foreign of [admin.email, 'teuer', 'Vergiss', 'fremd', 'js_sdk']) expect(sent).not.toContain(foreign);
    call.socket.close();
  });

  test('Records typed words once, also when the service repeats them', async () => {
    const interviewId = await createInterview(server.backend.database, login(admin));
    const call = await relayed({ interviewId }, { textOnly: true });
    call.conversation.sendUserMessage('Ohne Echo.');
    await expect.poll(() => hosted.received.at(-1)).toEqual({ type: 'user_message', text: 'Ohne Echo.' });
    hosted.say(agentSays('Aha.', 1));
    await call.next('agent_response');
    call.conversation.sendUserMessage('Mit Echo.');
    await expect.poll(() => hosted.received.at(-1)).toEqual({ type: 'user_message', text: 'Mit Echo.' });
    hosted.say(userSaid('Mit Echo.', 2));
    hosted.say(agentSays('So so.', 3));
    await call.next('agent_response', 2);
    call.conversation.sendUserMessage('Der Schluss.');
    await expect.poll(() => hosted.received.at(-1)).toEqual({ type: 'user_message', text: 'Der Schluss.' });
    call.sever();
    await expect
      .poll(async () => (await storedInterview(server.backend.database, interviewId)).turns.map((turn) => turn.text))
      .toEqual(['Ohne Echo.', 'Aha.', 'Mit Echo.', 'So so.', 'Der Schluss.']);
  });

  test('Delays messages of the client until the metadata and drops earlier ones of the service', async () => {
    const upstream = hosted.connected();
    const call = await talk((await getTicket(app.url, headers)).signedUrl);
    call.conversation.sendContextualUpdate('Früh dran');
    await upstream;
    hosted.say(agentSays('Zu früh', 1));
    hosted.say(UPSTREAM_METADATA);
    await call.next('conversation_initiation_metadata');
    await expect.poll(() => hosted.received.at(-1)).toEqual({ type: 'contextual_update', text: 'Früh dran' });
    expect(call.messages.map((message) => message.type)).toEqual(['conversation_initiation_metadata']);
    call.conversation.endSession();
  });

  test('Sends the earlier turns of a resumed interview', async () => {
    const interviewId = await createInterview(server.backend.database, login(admin));
    const first = await relayed({ interviewId });
    hosted.say(agentSays('Was baut ihr?', 1));
    hosted.say(userSaid('Eine Halle.', 2));
    await first.next('user_transcript');
    first.conversation.endSession();
    await expect.poll(async () => (await storedInterview(server.backend.database, interviewId)).turns.length).toBe(2);
    await relayed({ interviewId, resume: true });
    expect(hosted.received.findLast((message) => message['type'] === INITIATION.type)).toMatchObject({
      dynamic_variables: { earlier_transcript: 'Interviewer: Was baut ihr?\n\nDu: Eine Halle.' },
    });
  });

  test('Ends from either side', async () => {
    const upstream = hosted.connected();
    const call = await talk((await getTicket(app.url, headers)).signedUrl);
    const socket = await upstream;
    hosted.say(UPSTREAM_METADATA);
    await call.next('conversation_initiation_metadata');
    socket.close(1000);
    expect(await call.closed).toMatchObject({ code: 1000 });

    const again = hosted.connected();
    const second = await talk((await getTicket(app.url, headers)).signedUrl);
    const line = await again;
    const closed = new Promise((resolve) => void line.once('close', resolve));
    second.conversation.endSession();
    await closed;
  });
});

describe('Failing hosted service', () => {
  const failing = async (): Promise<{ code: number; reason: string }> => {
    const call = await rawCall((await getTicket(app.url, headers)).signedUrl);
    call.send(INITIATION);
    return call.closed;
  };

  test.each([
    ['401', 401, 1011],
    ['500', 500, 1011],
    ['429', 429, 1013],
  ])('Answers %s for the address', async (_name, status, code) => {
    hosted.behaviour.signed = status;
    expect((await failing()).code).toBe(code);
    expect(app.logged()).not.toContain('GEHEIM');
    expect(app.logged()).not.toContain(KEY);
  });

  test('Closes with 1011 when it refuses the socket', async () => {
    hosted.behaviour.socket = 'refuses';
    expect(await failing()).toEqual({ code: 1011, reason: 'voice agent failed' });
  });

  test.each(['address', 'metadata'] as const)(
    'hangs before its %s: 1011 after 10 s, before the 15 s of §4',
    async (where) => {
      const clock = testClock();
      const slow = await startVoiceApp(server, { env: buildEnv(hosted), clock });
      if (where === 'address') hosted.behaviour.signed = 'hang';
      else hosted.behaviour.socket = 'silent';
      const call = await rawCall((await getTicket(slow.url, headers)).signedUrl);
      call.send(INITIATION);
      await expect.poll(() => (where === 'address' ? hosted.asked.length : hosted.received.length)).toBe(1);
      clock.advance(9_999);
      expect(call.socket.readyState).toBe(1);
      clock.advance(1);
      expect((await call.closed).code).toBe(1011);
      await slow.stop();
    },
  );

  test('Closes with 1011 when it dies, and stores what was said', async () => {
    const interviewId = await createInterview(server.backend.database, login(admin));
    const upstream = hosted.connected();
    const call = await talk((await getTicket(app.url, headers, { interviewId })).signedUrl);
    const socket = await upstream;
    hosted.say(UPSTREAM_METADATA);
    hosted.say(userSaid('Der letzte Satz.', 1));
    await call.next('user_transcript');
    socket.terminate();
    expect(await call.closed).toMatchObject({ code: 1011 });
    expect(call.of('error')[0]?.error_event.code).toBe(1011);
    await expect
      .poll(async () => (await storedInterview(server.backend.database, interviewId)).transcript)
      .toBe('Du: Der letzte Satz.');
  });

  test('Relays an error without its details', async () => {
    const call = await relayed();
    const event = {
      code: 1011,
      error_type: 'llm_timeout',
      message: 'GEHEIM',
      debug_message: 'GEHEIM',
      details: { key: 'x' },
    };
    hosted.say({ type: 'error', error_event: event });
    await call.next('error');
    expect(call.messages.at(-1)).toEqual({
      type: 'error',
      error_event: { code: 1011, error_type: 'llm_timeout', message: 'voice agent failed' },
    });
    call.conversation.endSession();
  });

  test('Drops invalid messages of the service', async () => {
    const upstream = hosted.connected();
    const call = await talk((await getTicket(app.url, headers)).signedUrl);
    const socket = await upstream;
    hosted.say(UPSTREAM_METADATA);
    for (const garbage of ['hallo', '[]', 'null', '5']) socket.send(garbage);
    hosted.say(agentSays('Weiter.', 1));
    await call.next('agent_response');
    expect(call.messages).toHaveLength(2);
    call.conversation.endSession();
  });
});

describe('Hosted service that sends without end (threat 7)', () => {
  /** What it may send grows with time, which a busy machine has more of. */
  let frozen: VoiceApp;
  beforeEach(async () => {
    frozen = await startVoiceApp(server, { env: buildEnv(hosted), clock: testClock() });
  });
  afterEach(() => frozen.stop());

  test.each([
    ['words', agentSays('x'.repeat(100_000), 1), 50],
    ['messages', { type: 'vad_score', vad_score_event: { vad_score: 0.5 } }, 5_000],
  ])('Ends the conversation with 1011 and its connection at once: %s', async (_name, message, times) => {
    const upstream = hosted.connected();
    const call = await rawCall((await getTicket(frozen.url, headers)).signedUrl);
    call.send(INITIATION);
    const socket = await upstream;
    const gone = new Promise((resolve) => void socket.once('close', resolve));
    hosted.say(UPSTREAM_METADATA);
    await call.until('conversation_initiation_metadata');
    for (let sent = 0; sent < times; sent++) hosted.say(message);
    expect(await call.closed).toMatchObject({ code: 1011 });
    await gone;
    expect(call.received.length).toBeLessThan(2_000);
    const other = await relayed({}, {}, frozen);
    other.conversation.endSession();
  });
});
