import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { LevelMeter, type LevelMeterProps } from './level-meter.tsx';

describe('The level meter (§2.5, §2.6)', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const ticks = () => document.querySelector('path')?.getAttribute('d') ?? '';
  const value = () => screen.getByRole('meter').getAttribute('value');
  const pass = (milliseconds: number) => act(() => void vi.advanceTimersByTime(milliseconds));

  test('Follows the level twenty times a second while it is active, and says it in tenths', () => {
    const read = vi.fn(() => 0.5);
    render(<LevelMeter read={read} state="active" />);
    expect(value()).toBe('50');
    const half = ticks();
    read.mockReturnValue(0.98);
    pass(50);
    expect(value()).toBe('100');
    expect(ticks()).not.toBe(half);
    pass(950);
    expect(read).toHaveBeenCalledTimes(21);
  });

  test.each<[number, string]>([
    [7, '100'],
    [-1, '0'],
  ])('Takes a level of %d as %s %%', (level, shown) => {
    render(<LevelMeter read={() => level} state="active" />);
    expect(value()).toBe(shown);
  });

  test.each<LevelMeterProps['state']>(['idle', 'paused'])('%s: reads nothing and shows silence', (state) => {
    const read = vi.fn(() => 0.7);
    const { rerender } = render(<LevelMeter read={read} state="active" />);
    const loud = ticks();
    rerender(<LevelMeter read={read} state={state} />);
    const asked = read.mock.calls.length;
    pass(1_000);
    expect(read).toHaveBeenCalledTimes(asked);
    expect(value()).toBe('0');
    expect(ticks()).not.toBe(loud);
  });

  test('Renders nothing around it again, and reads no more once it is gone', () => {
    let level = 0;
    const read = vi.fn(() => (level += 0.02));
    const renderAround = vi.fn(() => <LevelMeter read={read} state="active" />);
    const Around = renderAround;
    const { unmount } = render(<Around />);
    pass(500);
    expect(renderAround).toHaveBeenCalledTimes(1);
    expect(value()).toBe('20');
    unmount();
    const asked = read.mock.calls.length;
    pass(1_000);
    expect(read).toHaveBeenCalledTimes(asked);
  });
});
