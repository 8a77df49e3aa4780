import { act, render, screen } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { beside } from './beside.tsx';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function show(load: () => Promise<() => ReactNode>): void {
  const Part = beside(load);
  render(
    <>
      <p>Aufnahme läuft</p>
      <Part />
    </>,
  );
}
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('§4 a part that cannot be had leaves the screen alone', async () => {
  show(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
  await pass(5_000);
  expect(screen.getByText('Aufnahme läuft')).toBeDefined();
});

it('a part that can be had stands beside the screen', async () => {
  show(() => Promise.resolve(() => <p>Ausgangskorb</p>));
  await pass(5_000);
  expect(screen.getByText('Ausgangskorb')).toBeDefined();
});

it('§4 a part that fails leaves the screen alone', async () => {
  show(() =>
    Promise.resolve(() => {
      throw new Error('broken');
    }),
  );
  await pass(5_000);
  expect(screen.getByText('Aufnahme läuft')).toBeDefined();
});
