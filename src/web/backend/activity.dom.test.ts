import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { INACTIVITY_CHECK_MS, INACTIVITY_LOGOUT_MS } from '#contract/limits.ts';
import { isWorkRunning, keepActive, watchActivity } from './activity.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watched() {
  const onIdle = vi.fn();
  const onWarning = vi.fn();
  const stop = watchActivity({ onIdle, onWarning });
  return { onIdle, onWarning, stop };
}

describe('§4, §9 inactivity', () => {
  it('logs out at the first check after 30 minutes', () => {
    const { onIdle, stop } = watched();
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS - 1);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(INACTIVITY_CHECK_MS);
    expect(onIdle).toHaveBeenCalled();
    stop();
  });

  it.each(['click', 'keydown', 'mousemove', 'scroll'])('%s is a sign of life', (name) => {
    const { onIdle, stop } = watched();
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS - 1);
    window.dispatchEvent(new Event(name));
    vi.advanceTimersByTime(INACTIVITY_CHECK_MS);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS);
    expect(onIdle).toHaveBeenCalled();
    stop();
  });

  it('warns a minute or two before, and takes the warning back at a sign of life (WCAG 2.2.1)', () => {
    const { onIdle, onWarning, stop } = watched();
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS - 3 * INACTIVITY_CHECK_MS);
    expect(onWarning).not.toHaveBeenCalled();
    vi.advanceTimersByTime(INACTIVITY_CHECK_MS);
    expect(onWarning.mock.calls).toEqual([[true]]);
    window.dispatchEvent(new Event('click'));
    expect(onWarning.mock.calls).toEqual([[true], [false]]);
    vi.advanceTimersByTime(3 * INACTIVITY_CHECK_MS);
    expect(onIdle).not.toHaveBeenCalled();
    expect(onWarning).toHaveBeenCalledTimes(2);
    stop();
  });

  it('logs out in its time though the clock was set back', () => {
    const { onIdle, stop } = watched();
    vi.setSystemTime(Date.now() - 2 * INACTIVITY_LOGOUT_MS);
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS + 2 * INACTIVITY_CHECK_MS);
    expect(onIdle).toHaveBeenCalled();
    stop();
  });

  it('logs out at the first sign of life after the machine slept', () => {
    const { onIdle, stop } = watched();
    vi.setSystemTime(Date.now() + INACTIVITY_LOGOUT_MS + 2 * INACTIVITY_CHECK_MS);
    window.dispatchEvent(new Event('mousemove'));
    expect(onIdle).toHaveBeenCalledTimes(1);
    stop();
  });

  it('logs out as soon as the page is seen again after the machine slept, not within the next minute', () => {
    const { onIdle, onWarning, stop } = watched();
    vi.setSystemTime(Date.now() + INACTIVITY_LOGOUT_MS - INACTIVITY_CHECK_MS);
    document.dispatchEvent(new Event('visibilitychange'));
    expect([onWarning.mock.calls, onIdle.mock.calls.length]).toEqual([[[true]], 0]);
    vi.setSystemTime(Date.now() + 3 * 24 * 3_600_000);
    document.dispatchEvent(new Event('visibilitychange'));
    // What the outbox sends from then on is no sign of life.
    keepActive()();
    expect(onIdle).toHaveBeenCalledTimes(1);
    stop();
    document.dispatchEvent(new Event('visibilitychange'));
    expect(onIdle).toHaveBeenCalledTimes(1);
  });

  it('logs out where a tab that slept is seen again after a logout in another one, of which it was not told', () => {
    const { onIdle, stop } = watched();
    localStorage.clear();
    document.dispatchEvent(new Event('visibilitychange'));
    expect(onIdle).toHaveBeenCalledTimes(1);
    expect(localStorage.getItem('last_activity'), 'nothing is written into the cleared storage').toBeNull();
    stop();
  });

  it('what the outbox begins by itself after the machine slept is no sign of life (D17)', () => {
    const { onIdle, stop } = watched();
    vi.setSystemTime(Date.now() + 2 * INACTIVITY_LOGOUT_MS);
    keepActive()();
    const release = keepActive();
    expect(isWorkRunning(), 'no update takes it away').toBe(true);
    window.dispatchEvent(new Event('mousemove'));
    expect(onIdle).toHaveBeenCalledTimes(1);
    release();
    vi.advanceTimersByTime(INACTIVITY_CHECK_MS);
    expect(onIdle).toHaveBeenCalledTimes(2);
    stop();
  });

  it('what the outbox tries again is no sign of life, and no logout breaks it off (D17)', () => {
    const { onIdle, stop } = watched();
    const release = keepActive(true);
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS + INACTIVITY_CHECK_MS);
    expect(onIdle).not.toHaveBeenCalled();
    release();
    vi.advanceTimersByTime(INACTIVITY_CHECK_MS);
    expect(onIdle).toHaveBeenCalledTimes(1);
    stop();
  });

  it('spares work that ran while the machine slept, and a cleared storage (D17)', () => {
    const { onIdle, stop } = watched();
    const release = keepActive();
    vi.setSystemTime(Date.now() + 2 * INACTIVITY_LOGOUT_MS);
    window.dispatchEvent(new Event('mousemove'));
    release();
    localStorage.clear();
    window.dispatchEvent(new Event('mousemove'));
    expect(onIdle).not.toHaveBeenCalled();
    stop();
  });

  it('a sign of life in another tab counts', () => {
    const { onIdle, stop } = watched();
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS - 1);
    localStorage.setItem('last_activity', String(Date.now()));
    vi.advanceTimersByTime(INACTIVITY_CHECK_MS);
    expect(onIdle).not.toHaveBeenCalled();
    stop();
  });

  it('Running work counts, and 30 minutes begin when it ends (D17)', () => {
    const { onIdle, stop } = watched();
    const release = keepActive();
    vi.advanceTimersByTime(3 * INACTIVITY_LOGOUT_MS);
    expect(onIdle).not.toHaveBeenCalled();
    release();
    release();
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS - INACTIVITY_CHECK_MS);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2 * INACTIVITY_CHECK_MS);
    expect(onIdle).toHaveBeenCalled();
    stop();
  });

  it('Where this device has no space for it, work begins all the same and counts (D17)', () => {
    const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError');
    });
    const { onIdle, stop } = watched();
    const release = keepActive();
    vi.advanceTimersByTime(INACTIVITY_LOGOUT_MS + INACTIVITY_CHECK_MS);
    release();
    vi.advanceTimersByTime(INACTIVITY_CHECK_MS);
    expect(onIdle).not.toHaveBeenCalled();
    stop();
    full.mockRestore();
  });

  it('stops watching', () => {
    const { onIdle, stop } = watched();
    stop();
    vi.advanceTimersByTime(2 * INACTIVITY_LOGOUT_MS);
    expect(onIdle).not.toHaveBeenCalled();
  });
});
