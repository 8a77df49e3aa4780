import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { IN_FLIGHT, startEndlessService, type EndlessService } from '../../../tests/support/endless-service.ts';
import { AuthConfig } from '../config.ts';
import { createCaptchaVerifier } from './captcha.ts';
import { createLeakCheck } from './leaked-passwords.ts';
import { createRateLimiter } from '#lib/rate-limiter.ts';
import { createHttpSms } from './phone/sms.ts';

let endless: EndlessService;
beforeAll(async () => void (endless = await startEndlessService()));
afterAll(() => endless.stop());

const MEBIBYTE = 1_048_576;
const TIMEOUT_MS = 60_000;
const log = pino({ level: 'silent' });

/** The reader went away by itself, soon after what it may read. */
async function expectStopped(): Promise<void> {
  expect(await endless.ended()).toBe('reader');
  expect(endless.sent()).toBeLessThan(MEBIBYTE + IN_FLIGHT);
}

test('Stops reading the answer of a captcha service (threat 7)', async () => {
  endless.answer({ head: '{"success":true,"more":"', again: 'x' });
  const config = { enabled: true, provider: 'turnstile', secret: 's', site_key: '', url: endless.url } as const;
  await expect(createCaptchaVerifier(config, TIMEOUT_MS)('solved', undefined)).rejects.toThrow('too long');
  await expectStopped();
});

test.each([200, 500])('Stops reading the answer %i of a provider of text messages (threat 7)', async (status) => {
  endless.answer({ status, head: '{"ok":"', again: 'x' });
  const limit = createRateLimiter({ tokens: 10, perMs: 1_000, burst: 10 }, () => 0);
  const hook = { enabled: true, uri: endless.url, secrets: 'v1,whsec_c2VjcmV0' };
  const sms = createHttpSms({ hook, limit, log, now: Date.now, timeoutMs: TIMEOUT_MS });
  await expect(sms.send({ phone: '491701234567', code: '123456', userId: 'u' })).rejects.toMatchObject({
    code: 'sms_send_failed',
  });
  await expectStopped();
});

test.each([200, 503])('Stops reading the answer %i about leaked passwords (threat 7)', async (status) => {
  endless.answer({ status, type: 'text/plain', again: `${'0'.repeat(35)}:0\r\n` });
  const { hibp } = AuthConfig.parse({
    password: { hibp: { enabled: true, fail_closed: true, url: endless.url } },
  }).password;
  await expect(createLeakCheck(hibp, log, TIMEOUT_MS)('passwort1234')).rejects.toMatchObject({ status: 500 });
  await expectStopped();
});
