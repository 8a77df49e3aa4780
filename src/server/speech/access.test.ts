import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { authorizeTranscription, createTranscriptionQuota, type TranscriptionLimits } from './access.ts';
import { SpeechError } from './errors.ts';

const WIDE: TranscriptionLimits = {
  callsPerMinute: 1_000,
  bytesPerMinute: 1e9,
  callerBytesPerDay: 1e9,
  bytesPerDay: 1e9,
};

function getRefusal(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof SpeechError) return [error.code, error.details.retryAfterS];
  }
  return 'allowed';
}

test('Counts calls by the minute (threat 7)', () => {
  let now = 0;
  const quota = createTranscriptionQuota({ ...WIDE, callsPerMinute: 2 }, () => now);
  const call = (): unknown => getRefusal(() => quota.reserve(['a'], 1, true));
  expect([call(), call()]).toEqual(['allowed', 'allowed']);
  now = 45_000;
  expect(call()).toEqual(['rate_limited', 15]);
  now = 60_000;
  expect(call()).toBe('allowed');
});

test('Reserves bytes before they come and gives back those that did not (threat 7)', () => {
  const quota = createTranscriptionQuota({ ...WIDE, bytesPerDay: 100 }, () => 0);
  const first = quota.reserve(['a'], 80, true);
  expect(getRefusal(() => quota.reserve(['b'], 30, true))).toEqual(['daily_limit_reached', 86_400]);
  first.commit(50);
  expect(getRefusal(() => quota.reserve(['b'], 30, true))).toBe('allowed');
});

test('Never counts more bytes than it reserved (threat 7)', () => {
  const quota = createTranscriptionQuota({ ...WIDE, bytesPerDay: 100 }, () => 0);
  quota.reserve(['a'], 60, true).commit(1_000);
  expect(getRefusal(() => quota.reserve(['b'], 41, true))).toEqual(['daily_limit_reached', 86_400]);
  expect(getRefusal(() => quota.reserve(['b'], 40, true))).toBe('allowed');
});

test('Gives one caller a share of the day and starts each day at zero (threat 7)', () => {
  let now = 0;
  const quota = createTranscriptionQuota({ ...WIDE, callerBytesPerDay: 10 }, () => now);
  quota.reserve(['a'], 10, true);
  expect(getRefusal(() => quota.reserve(['a'], 1, true))).toEqual(['daily_limit_reached', 86_400]);
  expect(getRefusal(() => quota.reserve(['b'], 10, true))).toBe('allowed');
  now = 86_400_000;
  expect(getRefusal(() => quota.reserve(['a'], 10, true))).toBe('allowed');
});

test('Counts an own key by the minute, but not against the day (D12)', () => {
  const quota = createTranscriptionQuota({ ...WIDE, callsPerMinute: 2, bytesPerDay: 5 }, () => 0);
  expect(getRefusal(() => quota.reserve(['a'], 50, false))).toBe('allowed');
  expect(getRefusal(() => quota.reserve(['a'], 50, false))).toBe('allowed');
  expect(getRefusal(() => quota.reserve(['a'], 50, false))).toEqual(['rate_limited', 60]);
});

test('Refuses a caller when any of its names is over a limit (D9)', () => {
  const quota = createTranscriptionQuota({ ...WIDE, callsPerMinute: 1 }, () => 0);
  quota.reserve(['key:1', 'address:x'], 1, true);
  expect(getRefusal(() => quota.reserve(['key:2', 'address:x'], 1, true))).toEqual(['rate_limited', 60]);
});

test('Counts guests by their network: of IPv6 one subscriber has a /64 (threat 7)', async () => {
  const checks = {
    keys: { roleOfKey: () => undefined, verify: () => Promise.reject(new Error('no token')) },
    holdsContribution: async () => true,
    holdsReview: async () => false,
    hasRole: async () => false,
  };
  const getNetwork = async (ip: string): Promise<string | undefined> =>
    (await authorizeTranscription({ ip, headers: { 'x-interview-key': ip } } as unknown as FastifyRequest, checks))
      .names[1];
  const [first, same, other] = await Promise.all(
    ['2001:db8::1', '2001:db8::ffff:1', '2001:db8:0:1::1'].map(getNetwork),
  );
  expect(same).toBe(first);
  expect(other).not.toBe(first);
});
