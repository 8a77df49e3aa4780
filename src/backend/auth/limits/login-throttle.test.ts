import { expect, test } from 'vitest';
import { createLoginThrottle, ACCOUNT_ATTEMPT_LIMIT, type LoginThrottle } from './login-throttle.ts';
import { createRateLimiter } from '#lib/rate-limiter.ts';

function createThrottle(now: () => number): LoginThrottle {
  const accountAttempts = createRateLimiter(ACCOUNT_ATTEMPT_LIMIT, now);
  return createLoginThrottle(now, async (account) => accountAttempts.take(account));
}

async function fail(loginThrottle: LoginThrottle, account: string, network: string): Promise<boolean> {
  const outcome = await loginThrottle.begin({ account, network });
  outcome?.fail();
  return outcome !== undefined;
}

test('threat 13 Allows five failures, then doubles the wait up to 15 minutes', async () => {
  let now = 0;
  const loginThrottle = createThrottle(() => now);
  for (let index = 0; index < 5; index += 1) expect(await fail(loginThrottle, 'a', 'x')).toBe(true);
  for (const wait of [2_000, 4_000, 8_000, 16_000, 32_000]) {
    now += wait - 1;
    expect(await fail(loginThrottle, 'a', 'x')).toBe(false);
    now += 1;
    expect(await fail(loginThrottle, 'a', 'x')).toBe(true);
  }
  for (let index = 0; index < 10; index += 1) {
    now += 15 * 60_000;
    expect(await fail(loginThrottle, 'a', 'x')).toBe(true);
  }
});

test('Forgets all failures an hour after the last one', async () => {
  let now = 0;
  const loginThrottle = createThrottle(() => now);
  for (let index = 0; index < 5; index += 1) await fail(loginThrottle, 'a', 'x');
  now = 3_600_000;
  const answers: boolean[] = [];
  for (let index = 0; index < 6; index += 1) answers.push(await fail(loginThrottle, 'a', 'x'));
  expect(answers).toEqual([true, true, true, true, true, false]);
});

test('threat 13 Waits no longer where the clock was set back meanwhile', async () => {
  let now = 7_200_000;
  const loginThrottle = createThrottle(() => now);
  for (let index = 0; index < 5; index += 1) await fail(loginThrottle, 'a', 'x');
  now -= 3_600_000;
  expect(await fail(loginThrottle, 'a', 'x')).toBe(false);
  now += 2_000;
  expect(await fail(loginThrottle, 'a', 'x')).toBe(true);
  now += 3_600_000;
  for (let index = 0; index < 5; index += 1) expect(await fail(loginThrottle, 'a', 'x')).toBe(true);
});

test('Counts running attempts: of a hundred at once five begin', async () => {
  const loginThrottle = createThrottle(() => 0);
  let begun = 0;
  const attempt = async (): Promise<void> => {
    const outcome = await loginThrottle.begin({ account: 'a', network: 'x' });
    if (outcome === undefined) return;
    begun += 1;
    await Promise.resolve();
    outcome.fail();
  };
  await Promise.all(Array.from({ length: 100 }, attempt));
  expect(begun).toBe(5);
});

test('Does not count an attempt that an internal error withdraws', async () => {
  const loginThrottle = createThrottle(() => 0);
  for (let index = 0; index < 10; index += 1) {
    (await loginThrottle.begin({ account: 'a', network: 'x', isKnown: async () => true }))?.withdraw();
  }
  expect(await fail(loginThrottle, 'a', 'x')).toBe(true);
});

test('Accepts known addresses after all attempts on the account are used up', async () => {
  const loginThrottle = createThrottle(() => 0);
  const answers: boolean[] = [];
  for (let index = 0; index < 25; index += 1) answers.push(await fail(loginThrottle, 'a', `network ${index}`));
  expect(answers.filter(Boolean)).toHaveLength(20);
  expect(await loginThrottle.begin({ account: 'a', network: 'home', isKnown: async () => true })).toBeDefined();
  expect(await loginThrottle.begin({ account: 'b', network: 'network 1' })).toBeDefined();
});
