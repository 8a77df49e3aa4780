import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { testClock } from '#tests/support/voice-clock.ts';
import type { EngineContext } from '../engines/engine.ts';
import { ENDINGS } from '../errors.ts';
import { VOICE_LIMITS } from '../settings.ts';
import type { TurnLogWriter } from '../turns/turn-log-writer.ts';
import { createConversationRegistry } from './conversation-registry.ts';
import { runConversation, type Conversation } from './conversation.ts';

const flushPromises = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A conversation on a database that does not answer; `stopped`: what its engine's stop waits for. */
function start(stopped = Promise.resolve()) {
  const clock = testClock();
  const did: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (text: string) => void did.push((JSON.parse(text) as { type: string }).type),
    close: (code: number) => void did.push(`close ${code}`),
    terminate: () => void did.push('cut'),
    ping: () => undefined,
  });
  const turnLog: TurnLogWriter = {
    add: () => undefined,
    feedback: () => undefined,
    written: () => new Promise(() => undefined),
    bind: () => true,
    isOf: () => false,
    finish: async () => void did.push('finish'),
  };
  let engine: EngineContext | undefined;
  const registry = createConversationRegistry();
  const conversation: Conversation = runConversation({
    socket: socket as never,
    brief: { area: 'generic', topic: 'free-topic', context: '', earlier: [] },
    textOnly: true,
    startEngine: (context) => {
      engine = context;
      return { receive: () => undefined, stop: () => stopped, pings: true };
    },
    createTurnLog: () => turnLog,
    limits: { ...VOICE_LIMITS, sessions: 1, sessionsPerUser: 1, guestSessionsPerNetwork: 1, minutesPerDay: 1 },
    clock,
    log: pino({ level: 'silent' }),
    onEnd: () => registry.release(conversation.id),
  });
  registry.add(conversation, 'somebody');
  socket.emit('message', Buffer.from('{"type":"conversation_initiation_client_data"}'), false);
  const context = engine ?? expect.fail();
  const [agent_output_audio_format, user_input_audio_format] = ['pcm_16000', 'pcm_16000'] as const;
  const metadata = { conversation_id: 'c', agent_output_audio_format, user_input_audio_format };
  context.send({ type: 'conversation_initiation_metadata', conversation_initiation_metadata_event: metadata });
  return { clock, did, context, conversation, registry };
}

const say = ({ send }: EngineContext): void =>
  send({ type: 'agent_response', agent_response_event: { agent_response: 'Danke.', event_id: 1 } });

test('Shows the last line before it cuts the line, also where the database does not answer (D16)', async () => {
  const { clock, did, context, conversation } = start();
  say(context);
  conversation.end(ENDINGS.goingAway);
  clock.advance(1_000);
  await flushPromises();
  expect(did.filter((what) => what !== 'finish')).toEqual([
    'conversation_initiation_metadata',
    'agent_response',
    'close 1001',
  ]);
});

test('A server that stops waits for words that are not understood yet (D16)', async () => {
  const heard = Promise.withResolvers<void>();
  const { did, registry } = start(heard.promise);
  const closed = registry.close().then(() => did.push('closed'));
  await flushPromises();
  expect(did).not.toContain('closed');
  heard.resolve();
  await closed;
  expect(did.slice(-2)).toEqual(['finish', 'closed']);
});

test('A server that stops finishes the log of an interview that has just ended as well (D16)', async () => {
  const { did, registry, conversation } = start();
  conversation.end(ENDINGS.done);
  await flushPromises();
  const before = did.length;
  await registry.close();
  expect(did.slice(before)).toContain('finish');
});
