import { expect, test, vi } from 'vitest';
import { cacheVerified } from './verified-tokens.ts';

test('Verifies a valid token once until it expires', async () => {
  let now = 1_000_000;
  const verify = vi.fn(async (token: string) => ({ sub: token, exp: 1_060 }));
  const remembered = cacheVerified(verify, () => now);
  expect([await remembered('a'), await remembered('a'), await remembered('b')]).toMatchObject([
    { sub: 'a' },
    { sub: 'a' },
    { sub: 'b' },
  ]);
  expect(verify).toHaveBeenCalledTimes(2);
  now = 1_060_000;
  await remembered('a');
  expect(verify).toHaveBeenCalledTimes(3);
});

test('Verifies a refused token each time, and caches none without an end', async () => {
  const verify = vi.fn(async (token: string) => {
    if (token === 'bad') throw new Error('no');
    return { sub: token };
  });
  const remembered = cacheVerified(verify);
  await expect(remembered('bad')).rejects.toThrow('no');
  await expect(remembered('bad')).rejects.toThrow('no');
  await remembered('endless');
  await remembered('endless');
  expect(verify).toHaveBeenCalledTimes(4);
});

test('Caches a bounded number of tokens', async () => {
  const verify = vi.fn(async (token: string) => ({ sub: token, exp: Date.now() }));
  const remembered = cacheVerified(verify);
  for (let at = 0; at <= 1_000; at += 1) await remembered(String(at));
  await remembered('0');
  expect(verify).toHaveBeenCalledTimes(1_002);
});
