import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startSmsProvider, type SmsProvider } from '../../../../tests/support/sms-provider.ts';
import { createRateLimiter } from '#lib/rate-limiter.ts';
import { createHttpSms, type Sms } from './sms.ts';

let provider: SmsProvider;
beforeAll(async () => void (provider = await startSmsProvider()));
afterAll(() => provider.stop());
beforeEach(() => provider.answerWith({ status: 204 }));

const MESSAGE = { phone: '491701234567', code: '123456', userId: 'b0ee8b4c-6f0c-4b6b-9b0f-3e3b7a1d2c3d' };

function sms(change: object = {}, perHour = 100, timeoutMs = 5_000): Sms {
  const limit = createRateLimiter({ tokens: perHour, perMs: 3_600_000, burst: perHour }, () => 0);
  const log = pino({ level: 'silent' });
  return createHttpSms({ hook: { ...provider.hook, ...change }, limit, log, now: Date.now, timeoutMs });
}

describe('text messages over HTTP', () => {
  test('Sends phone, code and purpose, signed by Standard Webhooks', async () => {
    await sms().send({ ...MESSAGE, purpose: 'mfa' });
    expect(provider.received.at(-1)).toEqual({ ...MESSAGE, purpose: 'mfa', signed: true });
    await sms().send(MESSAGE);
    expect(provider.received.at(-1)).toMatchObject({ purpose: undefined, signed: true });
  });

  test('Sends nothing while disabled', async () => {
    const before = provider.received.length;
    await expect(sms({ enabled: false }).send(MESSAGE)).rejects.toMatchObject({ code: 'phone_provider_disabled' });
    expect(provider.received).toHaveLength(before);
  });

  test.each([
    [{ status: 500 }],
    [{ status: 401 }],
    [{ status: 302 }],
    [{ status: 200, body: '{"error":{"http_code":402,"message":"no credit"}}' }],
  ])('an answer %j → 422 sms_send_failed', async (answer) => {
    provider.answerWith(answer);
    await expect(sms().send(MESSAGE)).rejects.toMatchObject({ status: 422, code: 'sms_send_failed' });
  });

  test('Answers 422 sms_send_failed for an unreachable provider', async () => {
    await expect(sms({ uri: 'http://127.0.0.1:9/' }).send(MESSAGE)).rejects.toMatchObject({ code: 'sms_send_failed' });
  });

  test('Answers 422 hook_timeout without an answer', async () => {
    provider.answerWith('silence');
    await expect(sms({}, 1, 50).send(MESSAGE)).rejects.toMatchObject({ status: 422, code: 'hook_timeout' });
  });

  test('Limits the messages of an hour (contract §1.6)', async () => {
    const two = sms({}, 2);
    await two.send(MESSAGE);
    await two.send(MESSAGE);
    await expect(two.send(MESSAGE)).rejects.toMatchObject({ status: 429, code: 'over_sms_send_rate_limit' });
  });
});
