import { expect, test } from 'vitest';
import { testClock } from '#tests/support/voice-clock.ts';
import { VOICE_LIMITS } from '../settings.ts';
import { createDelivery, createFrameReader } from './frames.ts';

const flushPromises = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function start() {
  const clock = testClock();
  const put: string[] = [];
  const delivery = createDelivery<string>((message) => void put.push(message), clock);
  return { clock, put, delivery };
}

test('Delivers at once without a write to wait for (decision 0152)', () => {
  const { put, delivery } = start();
  delivery.send('a');
  delivery.afterAll(() => void put.push('end'));
  expect(put).toEqual(['a', 'end']);
});

test('Holds a line until its write, and later lines behind it (D16)', async () => {
  const { put, delivery } = start();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  delivery.send('line 1', first.promise);
  delivery.send('audio');
  delivery.send('line 2', second.promise);
  delivery.afterAll(() => void put.push('end'));
  await flushPromises();
  expect(put).toEqual([]);
  second.resolve();
  await flushPromises();
  expect(put).toEqual([]);
  first.resolve();
  await flushPromises();
  expect(put).toEqual(['line 1', 'audio', 'line 2', 'end']);
});

test('Delays a line by at most five seconds when the database does not answer (D16)', async () => {
  const { clock, put, delivery } = start();
  delivery.send('line', new Promise(() => undefined));
  clock.advance(4_999);
  await flushPromises();
  expect(put).toEqual([]);
  clock.advance(1);
  await flushPromises();
  expect(put).toEqual(['line']);
});

test('Takes 15 minutes of 48 kHz, which a hosted agent may ask for (docs/interview.md)', () => {
  const clock = testClock();
  const limits = { ...VOICE_LIMITS, sessions: 1, sessionsPerUser: 1, guestSessionsPerNetwork: 1, minutesPerDay: 1 };
  const read = createFrameReader(limits, clock);
  read(Buffer.from('{"type":"conversation_initiation_client_data"}'), false);
  const chunk = Buffer.from(JSON.stringify({ user_audio_chunk: Buffer.alloc(24_000).toString('base64') }));
  for (let ms = 0; ms < limits.lengthMs; ms += 250) {
    expect(read(chunk, false)).toMatchObject({ ok: true });
    clock.advance(250);
  }
});
