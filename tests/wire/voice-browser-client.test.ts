import { Conversation, type TextConversation } from '@elevenlabs/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bootServer, type TestServer } from '#tests/support/boot.ts';
import { BrowserSocket } from '#tests/support/browser-socket.ts';
import { createAccounts } from '#tests/support/callers.ts';
import { startVoiceApp } from '#tests/support/voice-app.ts';
import { getTicket, loginHeaders } from '#tests/support/voice-client.ts';
import { testClock } from '#tests/support/voice-clock.ts';
import { ServerMessageSchema } from '#tests/support/voice-schema.ts';

/** The browser's official client, in its text mode, which runs without a browser too. */
let server: TestServer;
let headers: Record<string, string>;
beforeAll(async () => {
  vi.stubGlobal('WebSocket', BrowserSocket);
  server = await bootServer();
  headers = await loginHeaders(server.backend.keys, (await createAccounts(server.databaseUrl)).admin);
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await server.stop();
});

/** Few may talk at once, and one who has just left is counted until the server has heard of it. */
const ticket = (body?: Parameters<typeof getTicket>[2]): ReturnType<typeof getTicket> =>
  vi.waitFor(() => getTicket(server.url, headers, body));

type Options = Parameters<typeof Conversation.startSession>[0];

async function start(signedUrl: string, options: Partial<Options> = {}): Promise<TextConversation> {
  const started = await Conversation.startSession({
    signedUrl,
    textOnly: true,
    connectionDelay: { default: 0, android: 0 },
    ...options,
  } as Options);
  return started as TextConversation;
}

test('Runs a text interview that the agent ends', async () => {
  const { signedUrl } = await ticket({ topic: 'media-description' });
  const lines: string[] = [];
  const answers: unknown[] = [];
  const ended = Promise.withResolvers<{ reason: string }>();
  const conversation = await start(signedUrl, {
    onMessage: ({ role, message }) => void lines.push(`${role}: ${message}`),
    onIncomingEvent: (event) => void ServerMessageSchema.parse(event),
    onDisconnect: (details) => ended.resolve(details),
    clientTools: { set_w_answer: (parameters: unknown) => void answers.push(parameters) },
  });
  await expect.poll(() => lines.length).toBe(1);
  for (const [at, text] of ['Ein Kran', 'Das Team', 'Gestern', 'In Bremen'].entries()) {
    conversation.sendUserMessage(text);
    await expect.poll(() => lines.length).toBe(3 + at * 2);
  }
  conversation.sendFeedback(true);
  conversation.sendUserActivity();
  conversation.sendUserMessage('Weil er so groß ist');
  expect(await ended.promise).toMatchObject({ reason: 'agent' });
  expect(answers).toHaveLength(5);
  expect(lines.filter((line) => line.startsWith('user: '))).toHaveLength(5);
});

test('Reports the user as the reason of the end', async () => {
  const { signedUrl } = await ticket();
  const ended = Promise.withResolvers<{ reason: string }>();
  const conversation = await start(signedUrl, { onDisconnect: (details) => ended.resolve(details) });
  await conversation.endSession();
  expect(await ended.promise).toMatchObject({ reason: 'user' });
});

test('Rejects a start with a used ticket by close code 1008', async () => {
  const { signedUrl } = await ticket();
  const conversation = await start(signedUrl);
  const closeReason = 'ticket unknown, used or expired';
  await expect(start(signedUrl)).rejects.toMatchObject({ closeCode: 1008, closeReason });
  await conversation.endSession();
});

test('Reports a protocol error as the reason of the end', async () => {
  const silenced = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  // What it may send grows with time, which a busy machine has more of.
  const frozen = await startVoiceApp(server, { clock: testClock() });
  const { signedUrl } = await getTicket(frozen.url, headers);
  const ended = Promise.withResolvers<{ reason: string }>();
  const conversation = await start(signedUrl, { onDisconnect: (details) => ended.resolve(details) });
  for (let sent = 0; sent < 500; sent++) conversation.sendUserActivity();
  expect(await ended.promise).toMatchObject({ reason: 'error', closeCode: 1008 });
  await frozen.stop();
  silenced.mockRestore();
});
