import { afterEach, expect, it, vi } from 'vitest';
import { connectBackend } from './connect.ts';
import { createSessionStore } from './session-store.ts';
import { storeSession, STUB_CONFIG, stubServer, stubSession } from '#tests/support/web/stub-server.ts';

const ROLE = 'GET /rest/v1/user_roles';

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

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

it('a login stands, and is not renewed at each call, where the clock of the device is hours ahead', async () => {
  const token = 'POST /auth/v1/token';
  const session = { ...stubSession(), expires_at: Math.floor(Date.now() / 1_000) - 3_600 };
  const calls = stubServer({
    [token]: () => Response.json(session),
    [ROLE]: () => Response.json({ role: 'firma_a' }),
    'GET /rest/v1/interviews': () => Response.json([]),
  });
  const store = createSessionStore(STUB_CONFIG, (config) => Promise.resolve(connectBackend(config)));
  const stop = store.start();
  const { supabase } = await store.backend();
  await supabase.auth.signInWithPassword({ email: 'mara@firma-a.example', password: 'x' });
  await vi.waitFor(() => expect(store.getState()).toMatchObject({ role: { status: 'known', remembered: false } }));
  for (let n = 0; n < 3; n += 1) await supabase.from('interviews').select('id');
  await supabase.auth.stopAutoRefresh();
  stop();
  expect(calls.filter((call) => call === token)).toHaveLength(1);
  expect(calls.filter((call) => call === ROLE)).toHaveLength(1);
});
