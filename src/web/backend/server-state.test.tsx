import { onlineManager, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import { useState, type ReactNode } from 'react';
import { afterEach, expect, it, vi } from 'vitest';
import { AccountsError, type AccountsProblem } from './accounts.ts';
import { BackendError } from './errors.ts';
import { createQueryClient, ServerStateProvider, useAction } from './server-state.tsx';
import { SessionProvider } from './session.ts';
import { createSessionStore } from './session-store.ts';
import { STUB_CONFIG, STUB_USER } from '#tests/support/web/stub-server.ts';

function Wrapper({ children }: Readonly<{ children: ReactNode }>): ReactNode {
  const [client] = useState(createQueryClient);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

afterEach(() => onlineManager.setOnline(true));

it.each([
  ['a request without an answer', new AccountsError('unreachable'), 2],
  ['a file request without an answer', new BackendError('unreachable', 'Failed to fetch'), 2],
  ['a refusal', new AccountsError('not_admin' satisfies AccountsProblem), 1],
  ['an unknown error', new Error('boom'), 1],
])('Counts the attempts of %s (decision 0204)', async (_name, error, attempts) => {
  const queryFn = vi.fn(() => Promise.reject(error));
  const { result } = renderHook(() => useQuery({ queryKey: ['x'], queryFn }), { wrapper: Wrapper });
  await waitFor(() => expect(result.current.error).toBe(error));
  expect(queryFn).toHaveBeenCalledTimes(attempts);
});

it('Asks the server even if the browser believes to be offline', async () => {
  onlineManager.setOnline(false);
  const { result } = renderHook(() => useQuery({ queryKey: ['x'], queryFn: () => 'read' }), { wrapper: Wrapper });
  await waitFor(() => expect(result.current.data).toBe('read'));
});

it('Ignores a second call while an action runs, and reports how the first one ended', async () => {
  const ends: ((end: 'done' | 'failed') => void)[] = [];
  const mutationFn = vi.fn(
    (_input: string) =>
      new Promise<void>((resolve, reject) => {
        ends.push((end) => (end === 'done' ? resolve() : reject(new Error('no'))));
      }),
  );
  const { result } = renderHook(() => useAction({ mutationFn }), { wrapper: Wrapper });
  const [first, second] = [result.current.run('a'), result.current.run('b')];
  expect(await second).toBe(false);
  await waitFor(() => expect(result.current).toMatchObject({ busy: true, input: 'a' }));
  act(() => ends[0]?.('failed'));
  expect(await first).toBe(false);
  await waitFor(() => expect(result.current).toMatchObject({ busy: false, error: { message: 'no' } }));
  const third = result.current.run('c');
  await waitFor(() => expect(mutationFn).toHaveBeenCalledTimes(2));
  act(() => ends[1]?.('done'));
  expect(await third).toBe(true);
  expect(mutationFn.mock.calls.map(([input]) => input)).toEqual(['a', 'c']);
});

it('Shows nothing of one account to the next', async () => {
  const store = createSessionStore(STUB_CONFIG, () => Promise.reject(new Error('not needed here')));
  const signIn = (id: string) =>
    act(() => store.dispatch({ type: 'session', user: { ...STUB_USER, id, username: id } }));
  const wrapper = ({ children }: Readonly<{ children: ReactNode }>) => (
    <SessionProvider value={store}>
      <ServerStateProvider>{children}</ServerStateProvider>
    </SessionProvider>
  );
  let answer: Promise<string> = Promise.resolve('of Ada');
  const queryFn = () => answer;
  const { result } = renderHook(() => useQuery({ queryKey: ['x'], queryFn, gcTime: Infinity }), { wrapper });
  signIn('ada');
  await waitFor(() => expect(result.current.data).toBe('of Ada'));
  answer = new Promise(() => undefined);
  signIn('emmy');
  expect(result.current.data).toBeUndefined();
});
