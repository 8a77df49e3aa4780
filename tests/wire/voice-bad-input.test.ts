import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { createAccount, createAccounts } from '#tests/support/callers.ts';
import { startSpeechServices, type SpeechServices } from '#tests/support/speech-services.ts';
import { testClock, type TestClock } from '#tests/support/voice-clock.ts';
import { getTicket, loginHeaders } from '#tests/support/voice-client.ts';
import { startVoiceApp, type VoiceApp } from '#tests/support/voice-app.ts';
import { INITIATION, rawCall, type RawCall } from '#tests/support/voice-socket.ts';

/** Where a test lets more time pass at once than a client has to answer. */
const ALIVE = { lostMs: 1e9 };

let server: TestServer;
let services: SpeechServices;
let headers: Record<string, string>;
let clock: TestClock;
let app: VoiceApp;
beforeAll(async () => {
  server = await bootServer();
  services = await startSpeechServices();
  headers = await loginHeaders(server.backend.keys, (await createAccounts(server.databaseUrl)).admin);
  clock = testClock();
  app = await startVoiceApp(server, { env: services.env, clock, limits: { sessionsPerUser: 50, ...ALIVE } });
});
afterAll(async () => {
  await app.stop();
  await services.stop();
  await server.stop();
});

const connect = async (at: VoiceApp = app): Promise<RawCall> => rawCall((await getTicket(at.url, headers)).signedUrl);

async function connected(initiation: unknown = INITIATION, at: VoiceApp = app): Promise<RawCall> {
  const call = await connect(at);
  call.send(initiation);
  await call.until('agent_response');
  return call;
}

/** The server answers a ping of the WebSocket itself only after every frame before it. */
function processed(call: RawCall): Promise<void> {
  return new Promise((resolve) => {
    call.socket.once('pong', () => resolve());
    call.socket.ping();
  });
}

const AUDIO = { type: 'conversation_initiation_client_data' };
const PCM = Buffer.alloc(8_000, 1).toString('base64');

describe('Order and shape', () => {
  test.each([
    ['audio', { user_audio_chunk: PCM }],
    ['a message', { type: 'user_message', text: 'Hallo' }],
    ['a pong', { type: 'pong', event_id: 1 }],
    ['something unknown', { type: 'neu' }],
  ])('Closes with 1002 after %s before the initiation', async (_name, message) => {
    const call = await connect();
    call.send(message);
    expect((await call.closed).code).toBe(1002);
    expect(call.received).toEqual([]);
  });

  test('Closes with 1002 after a second initiation', async () => {
    const call = await connected();
    call.send(INITIATION);
    expect(await call.closed).toEqual({ code: 1002, reason: 'conversation already initiated' });
    expect(call.received.at(-1)).toMatchObject({
      type: 'error',
      error_event: { code: 1002, error_type: 'invalid_message' },
    });
  });

  test.each([
    ['no JSON', 'hallo'],
    ['half JSON', '{"type":"user_message"'],
    ['an array', '[]'],
    ['null', 'null'],
    ['no type', '{}'],
    ['a type that is no text', '{"type":1}'],
    ['audio that is no text', '{"user_audio_chunk":5}'],
    ['a pong without its id', '{"type":"pong"}'],
    ['feedback of another kind', '{"type":"feedback","score":"love","event_id":1}'],
    ['a text that is none', '{"type":"user_message","text":{}}'],
  ])('Closes with 1007 after %s', async (_name, frame) => {
    const call = await connected();
    call.send(frame);
    expect(await call.closed).toEqual({ code: 1007, reason: 'malformed message' });
  });

  test('Closes with 1003 after a binary frame', async () => {
    const call = await connected();
    call.socket.send(Buffer.from(PCM, 'base64'), { binary: true });
    expect((await call.closed).code).toBe(1003);
  });

  test('Closes with 1009 after a frame above 64 KiB', async () => {
    const fits = await connected();
    fits.send({ type: 'unbekannt', fill: 'x'.repeat(64 * 1024 - 30) });
    fits.send({ type: 'user_message', text: 'Noch da?' });
    await fits.until('user_transcript');
    fits.send('x'.repeat(64 * 1024 + 1));
    expect((await fits.closed).code).toBe(1009);
  });

  test.each([
    ['no base64', 'ÄÖÜ='],
    ['half a sample', Buffer.alloc(801).toString('base64')],
    ['a WAV file', Buffer.from('RIFF\0\0\0\0WAVEfmt ').toString('base64')],
    ['Ogg', Buffer.from('OggS\0\u0002\0\0').toString('base64')],
    ['WebM', Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0, 0]).toString('base64')],
  ])('Closes with 1003 after audio in the wrong format: %s', async (_name, audio) => {
    const call = await connected(AUDIO);
    call.send({ user_audio_chunk: audio });
    expect(await call.closed).toEqual({ code: 1003, reason: 'audio is not in the announced format' });
  });

  test('Ignores unknown types of messages', async () => {
    const call = await connected();
    call.send({ type: 'mcp_tool_approval_result', tool_call_id: 'x', is_approved: true });
    call.send({ type: 'contextual_update', text: 'Die Person lächelt.' });
    call.send({ type: 'client_tool_result', tool_call_id: 'x', result: 'ok', is_error: false });
    call.send({ type: 'multimodal_message', text: { type: 'user_message', text: 'Ich bin da.' } });
    await call.until('user_transcript');
    call.socket.close();
  });

  test('Closes a voice conversation with 1008 where only text is possible', async () => {
    const plain = await startVoiceApp(server, { clock });
    const call = await connect(plain);
    call.send({
      type: 'conversation_initiation_client_data',
      conversation_config_override: { conversation: { text_only: false } },
    });
    expect(await call.closed).toEqual({ code: 1008, reason: 'this conversation is text only' });
    await plain.stop();
  });

  test('Survives any input and closes cleanly', async () => {
    const message = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.json({ maxDepth: 3 }),
      fc
        .record({
          type: fc.constantFrom(
            'user_message',
            'pong',
            'feedback',
            'user_activity',
            'contextual_update',
            'client_tool_result',
          ),
          text: fc.anything({ maxDepth: 1, withNullPrototype: false }),
          event_id: fc.oneof(fc.integer(), fc.double(), fc.string()),
          score: fc.oneof(fc.constantFrom('like', 'dislike', null), fc.string()),
        })
        .map((value) => JSON.stringify(value)),
      fc
        .string({ unit: fc.constantFrom('A', '/', '+', '=', '9') })
        .map((audio) => JSON.stringify({ user_audio_chunk: audio })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 8 }), fc.boolean(), async (frames, initiated) => {
        const call = initiated ? await connected(AUDIO) : await connect();
        for (const frame of frames) call.send(frame);
        call.socket.close(1000);
        expect([1000, 1002, 1003, 1005, 1007, 1008]).toContain((await call.closed).code);
      }),
      { numRuns: 60 },
    );
    const call = await connected();
    call.socket.close();
  });
});

describe('A client that is silent', () => {
  test('Loses its place after 30 s where its line is dead', async () => {
    const strict = await startVoiceApp(server, { clock, limits: { sessionsPerUser: 1 } });
    const gone = await rawCall((await getTicket(strict.url, headers)).signedUrl, { settings: { autoPong: false } });
    gone.send(INITIATION);
    await gone.until('agent_response');
    clock.advance(29_999);
    await processed(gone);
    clock.advance(1);
    // As after a lost line: the person can go on with the interview.
    expect((await gone.closed).code).toBe(1006);
    await expect.poll(strict.logged).toContain('conversation ended');
    (await connected(INITIATION, strict)).socket.close();
    await strict.stop();
  });

  test('Keeps its place while it answers pings', async () => {
    const strict = await startVoiceApp(server, { clock });
    const call = await connected(INITIATION, strict);
    for (let seconds = 0; seconds < 170; seconds += 10) {
      clock.advance(10_000);
      await processed(call);
    }
    expect(call.socket.readyState).toBe(call.socket.OPEN);
    clock.advance(10_000);
    expect(await call.closed).toEqual({ code: 1008, reason: 'no activity' });
    await strict.stop();
  });
});

describe('Limits (threat 7)', () => {
  test('Waits 10 s for the first message', async () => {
    const call = await connect();
    clock.advance(9_999);
    expect(call.socket.readyState).toBe(1);
    clock.advance(1);
    expect(await call.closed).toEqual({ code: 1008, reason: 'no first message in time' });
  });

  test('Ends a conversation with nothing but pongs for three minutes', async () => {
    const call = await connected();
    clock.advance(179_000);
    call.send({ type: 'pong', event_id: 1 });
    call.send({ type: 'user_message', text: 'Ich denke nach.' });
    await call.until('user_transcript');
    clock.advance(179_000);
    call.send({ type: 'pong', event_id: 1 });
    await processed(call);
    clock.advance(1_000);
    expect(await call.closed).toEqual({ code: 1008, reason: 'no activity' });
  });

  test('Reports max_duration_exceeded after 15 minutes', async () => {
    const short = await startVoiceApp(server, { clock, limits: { lengthMs: 60_000, idleMs: 1e9, ...ALIVE } });
    const call = await connected(INITIATION, short);
    clock.advance(60_000);
    expect(await call.closed).toEqual({ code: 1008, reason: 'maximum length reached' });
    expect(call.received.at(-1)).toMatchObject({ error_event: { error_type: 'max_duration_exceeded' } });
    await short.stop();
  });

  test('Closes a flood of messages with 1008', async () => {
    const call = await connected();
    for (let sent = 0; sent < 500; sent++) call.send({ type: 'user_activity' });
    expect(await call.closed).toEqual({ code: 1008, reason: 'too many messages' });
  });

  test('Closes with 1008 after more audio than a minute has', async () => {
    const thrifty = await startVoiceApp(server, {
      env: services.env,
      clock,
      limits: { audioBytesPerMinute: 100_000, messagesPerSecond: 1_000 },
    });
    const call = await connected(AUDIO, thrifty);
    for (let sent = 0; sent < 20; sent++) call.send({ user_audio_chunk: PCM });
    expect(await call.closed).toEqual({ code: 1008, reason: 'too much audio' });
    await thrifty.stop();
  });

  test('Refuses tickets (503) and connections (1013) when the minutes of the day are used up', async () => {
    const poor = await startVoiceApp(server, { env: { ...services.env, VOICE_MINUTES_PER_DAY: '15' }, clock });
    const [first, second] = [await getTicket(poor.url, headers), await getTicket(poor.url, headers)];
    const call = await rawCall(first.signedUrl);
    const refused = await rawCall(second.signedUrl);
    expect(await refused.closed).toEqual({ code: 1013, reason: 'capacity reached, try again later' });
    await expect(getTicket(poor.url, headers)).rejects.toThrow('503');
    call.socket.close();
    await poor.stop();
    const empty = await startVoiceApp(server, { env: { ...services.env, VOICE_MINUTES_PER_DAY: '1' }, clock });
    const body = JSON.stringify({ area: 'generic', topic: 'free-topic' });
    const asked = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
    const answer = await fetch(`${empty.url}/v1/convai/ticket`, asked);
    expect([await answer.json(), answer.headers.get('retry-after')]).toMatchObject([
      { error: { code: 'minutes' } },
      null,
    ]);
    await empty.stop();
  });

  test('Admits another user when one has used up the own conversations', async () => {
    const strict = await startVoiceApp(server, { clock, limits: { sessionsPerUser: 1 } });
    const call = await connected(INITIATION, strict);
    await expect(getTicket(strict.url, headers)).rejects.toThrow('429');
    const other = await loginHeaders(server.backend.keys, await createAccount(server.databaseUrl, 'admin'));
    await expect(getTicket(strict.url, other)).resolves.toMatchObject({ engine: 'browser' });
    call.socket.close();
    await strict.stop();
  });
});
