import { describe, expect, it, vi } from 'vitest';
import { BackendError } from '#web/backend/errors.ts';
import { withRetries } from './retries.ts';

describe('§9 upload and metadata retries', () => {
  it('tries 3 times, 1 s apart, and throws the last error', async () => {
    const attempt = vi.fn(() => Promise.reject(new BackendError('unreachable', `try ${attempt.mock.calls.length}`)));
    const waits: number[] = [];
    await expect(withRetries(attempt, async (ms) => void waits.push(ms))).rejects.toThrow('try 3');
    expect(waits).toEqual([1000, 1000]);
  });

  it('stops at the first success', async () => {
    const attempt = vi.fn<() => Promise<string>>();
    attempt.mockRejectedValueOnce(new BackendError('failed', 'once')).mockResolvedValueOnce('there');
    await expect(withRetries(attempt, async () => {})).resolves.toBe('there');
    expect(attempt).toHaveBeenCalledTimes(2);
  });

  it('does not repeat what cannot get better', async () => {
    const attempt = vi.fn(() => Promise.reject(new BackendError('too-large', 'no')));
    await expect(withRetries(attempt, async () => {})).rejects.toThrow('no');
    expect(attempt).toHaveBeenCalledTimes(1);
  });
});
