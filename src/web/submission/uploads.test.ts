import { describe, expect, it, vi, test } from 'vitest';
import { BackendError } from '#web/backend/errors.ts';
import { withRetries, plainFileName } from './uploads.ts';

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

test.each([
  ['IMG_2031.JPG', 'IMG_2031.JPG'],
  ['Prüfstand – Kühlung (2).heic', 'Prüfstand – Kühlung (2).heic'],
  ['C:\\Bilder\\halle.png', 'halle.png'],
  ['../../etc/passwd', 'passwd'],
  ['a\u0000b\r\n.png', 'ab.png'],
  ['\u202egnp.exe', 'gnp.exe'],
  ['  bild.png  ', 'bild.png'],
  ['\ud800.png', '\ufffd.png'],
  [`${'a'.repeat(254)}😀.png`, `${'a'.repeat(254)}\ufffd`],
  ['', undefined],
  ['/', undefined],
  ['\u200b', undefined],
])('Names %j as %j', (name, plain) => {
  expect(plainFileName(name)).toBe(plain);
});
