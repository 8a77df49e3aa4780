import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startLeakService, type LeakService } from '#tests/support/leak-service.ts';
import { AuthConfig } from '../config.ts';
import { createLeakCheck } from './leaked-passwords.ts';

let service: LeakService;
beforeAll(async () => {
  service = await startLeakService();
  service.leak('passwort1234');
});
afterAll(() => service.stop());
beforeEach(() => service.behave('well'));

const log = pino({ level: 'silent' });
function check(fail_closed: boolean, timeoutMs?: number) {
  const { hibp } = AuthConfig.parse({
    password: { hibp: { enabled: true, fail_closed, url: `${service.url}/` } },
  }).password;
  return createLeakCheck(hibp, log, timeoutMs);
}

test('[auth.password.hibp] Finds a leaked password and sends only five digits of its digest', async () => {
  const { length } = service.asked;
  expect([await check(false)('passwort1234'), await check(false)('Wolkenkratzer am Meer')]).toEqual([true, false]);
  const asked = service.asked.slice(length);
  expect(asked).toEqual([expect.anything(), expect.anything()]);
  for (const { path, padded } of asked)
    expect([path, padded]).toEqual([expect.stringMatching(/^\/range\/[0-9A-F]{5}$/), true]);
});

test('[auth.password.hibp] Ignores padding in the answer', async () => {
  expect(await check(false)('nie gesehen')).toBe(false);
});

test.each(['badly', 'hang'] as const)(
  '[auth.password.hibp] a service that answers %s: lets through, or not where fail_closed',
  async (how) => {
    service.behave(how);
    const patience = how === 'hang' ? 50 : undefined;
    expect(await check(false, patience)('passwort1234')).toBe(false);
    await expect(check(true, patience)('passwort1234')).rejects.toMatchObject({
      status: 500,
      code: 'unexpected_failure',
    });
  },
);

test('[auth.password.hibp] Sends no request by default', async () => {
  const { length } = service.asked;
  const { hibp } = AuthConfig.parse({}).password;
  expect(await createLeakCheck({ ...hibp, url: service.url }, log)('passwort1234')).toBe(false);
  expect(service.asked).toHaveLength(length);
});
