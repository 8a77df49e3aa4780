import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHostedService, UPSTREAM_METADATA } from '#tests/support/voice-hosted.ts';
import { systemClock } from '../clock.ts';
import { ENDINGS, type Ending } from '../errors.ts';
import { startHosted } from './hosted.ts';

const CHUNK = 'A'.repeat(1024 * 1024);
/** More than the system takes for a peer that does not read. */
const CHUNKS = 64;

test('Ends a conversation whose service reads no more, instead of keeping its audio', async () => {
  const service = await startHostedService();
  onTestFinished(service.stop);
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Ending>();
  const connected = service.connected();
  const engine = startHosted(
    { url: service.url, key: 'k', agents: {} },
    'agent',
    60_000,
  )({
    conversationId: 'c',
    brief: { area: 'generic', topic: 'free-topic', context: '', earlier: [] },
    start: { firstMessage: undefined, language: 'de', textOnly: false, variables: {} },
    send: () => undefined,
    forward: () => begun.resolve(),
    nextEventId: () => 1,
    end: ended.resolve,
    clock: systemClock,
    log: pino({ level: 'silent' }),
  });
  onTestFinished(engine.stop);
  (await connected).pause();
  service.say(UPSTREAM_METADATA);
  await begun.promise;
  for (let count = 0; count < CHUNKS; count += 1) engine.receive({ type: 'user_audio_chunk', audio: CHUNK });
  expect(await ended.promise).toBe(ENDINGS.engine);
});
