import { EventEmitter, once } from 'node:events';
import { expect, test } from 'vitest';
import { VOICE_LIMITS } from '../settings.ts';
import { testClock } from '#tests/support/voice-clock.ts';
import { conversation } from './conversation.ts';

type Handler = (socket: unknown, request: unknown) => void;

test('Frees the place of a client that leaves while its engine is made (threat 7)', async () => {
  const socket = Object.assign(new EventEmitter(), { OPEN: 1, readyState: 1, pause: () => 0, resume: () => 0 });
  const places = new EventEmitter();
  const holder = { subject: 'a', userId: undefined, context: { headers: {} } };
  const session = { holder, brief: { area: 'generic', topic: 'x' }, engine: 'embedded', textOnly: true };
  const context = {
    settings: { limits: VOICE_LIMITS },
    tickets: { redeem: async () => session },
    quota: { admit: async () => ({ admitted: true, release: () => places.emit('free') }) },
    openDetector: async () => void (socket.readyState = 3),
    conversations: { add: () => 0 },
    clock: testClock(),
    log: { warn: expect.unreachable },
  };
  let handler: Handler = () => expect.unreachable();
  conversation.mount({ route: (route: { handler: Handler }) => (handler = route.handler) } as never, context as never);
  const freed = once(places, 'free');
  handler(socket, { query: { ticket: 't' }, headers: {}, ip: '127.0.0.1', socket: {} });
  await freed;
  expect(socket.listenerCount('close')).toBe(0);
});
