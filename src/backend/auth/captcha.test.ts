import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCaptchaService, type CaptchaService } from '../../../tests/support/captcha-service.ts';
import { createCaptchaVerifier, type CaptchaVerifier } from './captcha.ts';

let service: CaptchaService;
let verify: CaptchaVerifier;
/** Waits no longer than a test has to, for a service that says nothing at all. */
let impatient: CaptchaVerifier;
beforeAll(async () => {
  service = await startCaptchaService();
  const config = { enabled: true, provider: 'turnstile', secret: ' geheim ', site_key: '', url: service.url } as const;
  [verify, impatient] = [createCaptchaVerifier(config), createCaptchaVerifier(config, 100)];
});
afterAll(() => service.stop());

describe('captcha service', () => {
  test('Sends secret, token and address; accepts a solved captcha and passes on the reason of a refusal', async () => {
    expect(await verify('solved', '203.0.113.7')).toEqual({ passed: true });
    expect(service.asked.at(-1)).toEqual({ secret: 'geheim', response: 'solved', remoteip: '203.0.113.7' });
    expect(await verify('geraten', undefined)).toEqual({ passed: false, reasons: ['invalid-input-response'] });
  });

  test.each([
    [{ body: 'kein JSON' }],
    [{ body: '{}' }],
    [{ body: 'null' }],
    [{ body: '{"success":"true"}' }],
    [{ status: 302, body: '' }],
    ['silence'],
  ] as const)('Rejects the answer %j', async (answer) => {
    service.answerWith(answer);
    await expect((answer === 'silence' ? impatient : verify)('solved', undefined)).rejects.toThrow();
  });

  test('Replaces unknown reasons of the service', async () => {
    service.answerWith({ body: '{"success":false,"error-codes":["<script>","ok",7]}' });
    expect(await verify('x', undefined)).toEqual({ passed: false, reasons: ['unknown', 'ok', 'unknown'] });
    service.answerWith({ body: '{"success":false}' });
    expect(await verify('x', undefined)).toEqual({ passed: false, reasons: [] });
  });
});
