import { act, render } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { holdParts, releaseAllParts } from '#web/submission/outbox/use-keep-on-device.ts';
import { ToastProvider } from '#web/ui/toast.tsx';
import { UpdateNotice } from './update-notice.tsx';

afterEach(() => {
  releaseAllParts();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

it('An update waits on the start page for files that only this page has (0256)', async () => {
  vi.stubEnv('PROD', true);
  vi.useFakeTimers();
  const postMessage = vi.fn();
  const registration = Object.assign(new EventTarget(), { waiting: { state: 'installed', postMessage } });
  const register = () => Promise.resolve(registration);
  const serviceWorker = Object.assign(new EventTarget(), { controller: {}, register });
  const request = (_name: string, _options: object, work: (lock: object) => unknown) => Promise.resolve(work({}));
  Object.assign(navigator, { serviceWorker, locks: { request } });
  holdParts('local_1_a', [{ kind: 'file', blob: new File(['film'], 'film.mp4'), name: 'film.mp4' }]);
  render(
    <ToastProvider>
      <UpdateNotice screen="start" />
    </ToastProvider>,
  );
  await act(() => vi.advanceTimersByTimeAsync(30_000));
  expect(postMessage).not.toHaveBeenCalled();
  releaseAllParts();
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(postMessage).toHaveBeenCalledWith({ type: 'SKIP_WAITING' });
});
