import { act, renderHook, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { BackendProvider } from '#web/backend/client.ts';
import { fakeBackendForEach } from '#tests/support/web/fake-for-each.ts';
import { useBackendStatus } from './use-backend-status.ts';

const fake = fakeBackendForEach();

it('A probe that was begun before the connection was lost does not call the backend ready (§4)', async () => {
  const bucket = Promise.withResolvers<void>();
  fake.fail('GET bucket', bucket.promise);
  const { result } = renderHook(useBackendStatus, {
    wrapper: ({ children }) => <BackendProvider value={fake.backend}>{children}</BackendProvider>,
  });
  const probing = result.current.check();
  await waitFor(() => expect(fake.called('GET bucket')).toHaveLength(1));
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(result.current.status).toBe('unavailable');
  await act(async () => {
    bucket.resolve();
    await probing;
  });
  expect(result.current.status).toBe('unavailable');
  await act(async () => void (await result.current.check()));
  expect(result.current.status).toBe('ready');
});
