import { renderHook } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { freezeTime, pass, resumeTime } from '#tests/support/web/render-flow.tsx';
import { useFakeProgress } from './upload-view.tsx';

afterEach(() => {
  vi.restoreAllMocks();
  resumeTime();
});

it('Shows fake progress in steps up to 10 every 200 ms, stops at 90 and begins again (§9)', async () => {
  freezeTime();
  vi.spyOn(Math, 'random').mockReturnValue(0.75);
  const { result, rerender } = renderHook(useFakeProgress, { initialProps: true });
  expect(result.current).toBe(0);
  await pass(199);
  expect(result.current).toBe(0);
  await pass(1);
  expect(result.current).toBe(7.5);
  await pass(60_000);
  expect(result.current).toBe(90);
  rerender(false);
  expect(result.current).toBe(0);
  rerender(true);
  expect(result.current).toBe(0);
});
