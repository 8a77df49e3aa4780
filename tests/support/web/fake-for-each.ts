import { cleanup } from '@testing-library/react';
import { afterEach, beforeEach, vi } from 'vitest';
import { forgetUnsentFiles } from '#web/submission/use-chosen-files.ts';
import { startFakeBackend, type FakeBackend } from '#tests/support/web/fake-backend.ts';
import { resumeTime } from '#tests/support/web/render-flow.tsx';

/**
 * For a file of tests: an empty backend before each, once `prepare` has had it; after each no spy, stub or clock is
 * left.
 */
export function fakeBackendForEach(prepare: (fake: FakeBackend) => void = () => undefined): FakeBackend {
  const fake = { ...startFakeBackend() };
  beforeEach(() => prepare(Object.assign(fake, startFakeBackend())));
  afterEach(() => {
    // First, as an effect of a screen that is still there may remember its files after they were forgotten.
    cleanup();
    vi.restoreAllMocks();
    resumeTime();
    forgetUnsentFiles();
    fake.close();
  });
  return fake;
}
