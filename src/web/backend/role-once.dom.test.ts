import { afterEach, expect, it, vi } from 'vitest';
import { connectBackend } from './connect.ts';
import { createSessionStore } from './session-store.ts';
import { storeSession, STUB_CONFIG, stubServer } from '#tests/support/web/stub-server.ts';

const ROLE = 'GET /rest/v1/user_roles';

afterEach(() => vi.unstubAllGlobals());

/** In a file of its own: clients of other tests would hear of the session too. */
it('asks for the role of a session once, though supabase-js tells of it twice', async () => {
  const calls = stubServer({ [ROLE]: () => Response.json({ role: 'firma_a' }) });
  storeSession();
  const store = createSessionStore(STUB_CONFIG, (config) => Promise.resolve(connectBackend(config)));
  const stop = store.start();
  await vi.waitFor(() => expect(store.getState()).toMatchObject({ role: { status: 'known', remembered: false } }));
  const { supabase } = await store.backend();
  await supabase.auth.stopAutoRefresh();
  stop();
  expect(calls.filter((call) => call === ROLE)).toHaveLength(1);
});
