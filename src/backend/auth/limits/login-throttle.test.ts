import { expect, test } from 'vitest';
import { createGuesses, STRANGERS, type Guesses } from './login-throttle.ts';
import { createBuckets } from './rate-limiter.ts';

function guessesAt(now: () => number): Guesses {
  const strangers = createBuckets(STRANGERS, now);
  return createGuesses(now, async (account) => strangers.take(account));
}

const stranger = async (): Promise<boolean> => false;

async function fail(guesses: Guesses, account: string, network: string): Promise<boolean> {
  const outcome = await guesses.begin({ account, network, isKnown: stranger });
  outcome?.failed();
  return outcome !== undefined;
}

test('threat 13 five failures are free, then the wait doubles up to 15 minutes', async () => {
  let now = 0;
  const guesses = guessesAt(() => now);
  for (let index = 0; index < 5; index += 1) expect(await fail(guesses, 'a', 'x')).toBe(true);
  for (const wait of [2_000, 4_000, 8_000, 16_000, 32_000]) {
    now += wait - 1;
    expect(await fail(guesses, 'a', 'x')).toBe(false);
    now += 1;
    expect(await fail(guesses, 'a', 'x')).toBe(true);
  }
  for (let index = 0; index < 10; index += 1) {
    now += 15 * 60_000;
    expect(await fail(guesses, 'a', 'x')).toBe(true);
  }
});

test('an hour after the last failure all is forgiven', async () => {
  let now = 0;
  const guesses = guessesAt(() => now);
  for (let index = 0; index < 5; index += 1) await fail(guesses, 'a', 'x');
  now = 3_600_000;
  const answers: boolean[] = [];
  for (let index = 0; index < 6; index += 1) answers.push(await fail(guesses, 'a', 'x'));
  expect(answers).toEqual([true, true, true, true, true, false]);
});

test('attempts under way count: a hundred at once begin five', async () => {
  const guesses = guessesAt(() => 0);
  let begun = 0;
  const attempt = async (): Promise<void> => {
    const outcome = await guesses.begin({ account: 'a', network: 'x', isKnown: stranger });
    if (outcome === undefined) return;
    begun += 1;
    await Promise.resolve();
    outcome.failed();
  };
  await Promise.all(Array.from({ length: 100 }, attempt));
  expect(begun).toBe(5);
});

test('an attempt withdrawn because of a fault of ours leaves no trace', async () => {
  const guesses = guessesAt(() => 0);
  for (let index = 0; index < 10; index += 1) {
    (await guesses.begin({ account: 'a', network: 'x', isKnown: async () => true }))?.withdrawn();
  }
  expect(await fail(guesses, 'a', 'x')).toBe(true);
});

test('strangers use up an account, known addresses still get through', async () => {
  const guesses = guessesAt(() => 0);
  const answers: boolean[] = [];
  for (let index = 0; index < 25; index += 1) answers.push(await fail(guesses, 'a', `network ${index}`));
  expect(answers.filter(Boolean)).toHaveLength(20);
  expect(await guesses.begin({ account: 'a', network: 'home', isKnown: async () => true })).toBeDefined();
  expect(await guesses.begin({ account: 'b', network: 'network 1', isKnown: stranger })).toBeDefined();
});
