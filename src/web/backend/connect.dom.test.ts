import { AuthRetryableFetchError } from '@supabase/supabase-js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { connectBackend, connectContribution, connectGuest } from './connect.ts';
import { askServer } from './own-server.ts';
import { SESSION_KEY, storeSession, STUB_CONFIG, stubServer } from '#tests/support/web/stub-server.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** A line that swallows everything; requests end by their signals alone. */
function silence(): string[] {
  const asked: string[] = [];
  vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
    asked.push(new URL(input, STUB_CONFIG.supabaseUrl).pathname);
    return new Promise((_resolve, reject) => {
      init.signal?.addEventListener('abort', () => reject(new DOMException('over', 'AbortError')));
      if (init.signal?.aborted === true) reject(new DOMException('over', 'TimeoutError'));
    });
  });
  return asked;
}

const backend = connectBackend(STUB_CONFIG);

describe('§8 a line that swallows everything', () => {
  test.each([
    ['of the login', backend],
    ['of a contribution', connectContribution(backend, 'key')],
    ['of a guest', connectGuest(backend)],
  ])('Ends a look into the tables after 20 s: the client %s', async (_name, { supabase }) => {
    vi.useFakeTimers();
    const asked = silence();
    const answer = supabase.rpc('own_contributions', {}).then((result) => result);
    await vi.waitUntil(() => asked.length > 0);
    const states: unknown[] = [];
    void answer.then((result) => states.push(result.status));
    await vi.advanceTimersByTimeAsync(19_000);
    expect(states).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect((await answer).status).toBe(0);
  });

  test('Ends a read of our own server after 20 s, and no change', async () => {
    vi.useFakeTimers();
    storeSession();
    const asked = silence();
    const changed = vi.fn();
    void askServer(backend, { method: 'POST', path: '/v1/accounts' }).catch(changed);
    const read = expect(askServer(backend, { method: 'GET', path: '/v1/accounts' })).rejects.toMatchObject({
      kind: 'unreachable',
    });
    await vi.waitUntil(() => asked.length === 2);
    await vi.advanceTimersByTimeAsync(20_000);
    await read;
    expect(changed).not.toHaveBeenCalled();
  });

  test('Ends a login after 20 s, and gives a refresh the time it needs', async () => {
    const asked = silence();
    const limit = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const { error } = await backend.supabase.auth.signInWithPassword({ email: 'ada@beispiel.test', password: 'x' });
    expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 });
    expect(limit.mock.calls).toEqual([[20_000]]);
    void backend.supabase.auth.refreshSession({ refresh_token: 'a' });
    await vi.waitUntil(() => asked.length === 2);
    expect(limit).toHaveBeenCalledOnce();
  });
});

test('A refresh without an answer does not count as a session that is over (decision 0355)', async () => {
  const calls = stubServer({});
  storeSession();
  const client = connectBackend(STUB_CONFIG);
  // As supabase-js answers for a minute after such a refresh.
  const error = new AuthRetryableFetchError('Failed to fetch', 0);
  vi.spyOn(client.supabase.auth, 'getSession').mockResolvedValue({ data: { session: null }, error });
  const asked = askServer(client, { method: 'GET', path: '/v1/accounts' });
  await expect(asked).rejects.toMatchObject({ kind: 'unreachable' });
  expect(calls).toEqual([]);
});

test.each([403, 404, 511])('The page of a proxy (%i) in place of a new token ends no login (§4)', async (status) => {
  const page = () => new Response('<html>', { status, headers: { 'content-type': 'text/html' } });
  stubServer({ 'POST /auth/v1/token': page });
  storeSession(-60);
  vi.useFakeTimers();
  const asked = connectBackend(STUB_CONFIG).supabase.auth.getSession();
  // So long supabase-js tries again.
  await vi.advanceTimersByTimeAsync(30_000);
  const { error } = await asked;
  expect(error).toMatchObject({ name: 'AuthRetryableFetchError', status: 0 });
  expect(localStorage.getItem(SESSION_KEY)).not.toBeNull();
});
