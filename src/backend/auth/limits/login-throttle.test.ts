import { expect, test } from 'vitest';
import { createLoginThrottle, UNKNOWN_NETWORK_LIMIT, type LoginThrottle } from './login-throttle.ts';
import { createRateLimiter } from './rate-limiter.ts';

function guessesAt(now: () => number): LoginThrottle {
  const strangers = createRateLimiter(UNKNOWN_NETWORK_LIMIT, now);
  return createLoginThrottle(now, async (account) => strangers.take(account));
}

const stranger = async (): Promise<boolean> => false;

async function fail(loginThrottle: LoginThrottle, account: string, network: string): Promise<boolean> {
  const outcome = await loginThrottle.begin({ account, network, isKnown: stranger });
  outcome?.fail();
  return outcome !== undefined;
}

test('threat 13 five failures are free, then the wait doubles up to 15 minutes', async () => {
  let now = 0;
  const loginThrottle = guessesAt(() => now);
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

test('an hour after the last failure all is forgiven', async () => {
  let now = 0;
  const loginThrottle = guessesAt(() => now);
  for (let index = 0; index < 5; index += 1) await fail(loginThrottle, 'a', 'x');
  now = 3_600_000;
  const answers: boolean[] = [];
  for (let index = 0; index < 6; index += 1) answers.push(await fail(loginThrottle, 'a', 'x'));
  expect(answers).toEqual([true, true, true, true, true, false]);
});

test('attempts under way count: a hundred at once begin five', async () => {
  const loginThrottle = guessesAt(() => 0);
  let begun = 0;
  const attempt = async (): Promise<void> => {
    const outcome = await loginThrottle.begin({ account: 'a', network: 'x', isKnown: stranger });
    if (outcome === undefined) return;
    begun += 1;
    await Promise.resolve();
    outcome.fail();
  };
  await Promise.all(Array.from({ length: 100 }, attempt));
  expect(begun).toBe(5);
});

test('an attempt withdrawn because of a fault of ours leaves no trace', async () => {
  const loginThrottle = guessesAt(() => 0);
  for (let index = 0; index < 10; index += 1) {
    (await loginThrottle.begin({ account: 'a', network: 'x', isKnown: async () => true }))?.withdraw();
  }
  expect(await fail(loginThrottle, 'a', 'x')).toBe(true);
});

test('strangers use up an account, known addresses still get through', async () => {
  const loginThrottle = guessesAt(() => 0);
  const answers: boolean[] = [];
  for (let index = 0; index < 25; index += 1) answers.push(await fail(loginThrottle, 'a', `network ${index}`));
  expect(answers.filter(Boolean)).toHaveLength(20);
  expect(await loginThrottle.begin({ account: 'a', network: 'home', isKnown: async () => true })).toBeDefined();
  expect(await loginThrottle.begin({ account: 'b', network: 'network 1', isKnown: stranger })).toBeDefined();
});
