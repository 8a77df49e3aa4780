import { createClient } from '@supabase/supabase-js';
import { afterEach, expect, it, vi } from 'vitest';
import { otherLogins, providerLogin } from './other-logins.ts';
import { STUB_CONFIG } from '#tests/support/web/stub-server.ts';

const backend = { config: STUB_CONFIG, supabase: createClient(STUB_CONFIG.supabaseUrl, STUB_CONFIG.supabaseKey) };
afterEach(() => vi.unstubAllGlobals());

function answering(answer: () => Promise<Partial<Response>>): void {
  vi.stubGlobal('fetch', answer);
}

it.each([
  ['leads there', async () => ({ type: 'opaqueredirect' as const, ok: false, status: 0 }), 'go'],
  ['does not know the provider', async () => Response.json({}, { status: 400 }), 'unknown'],
  ['was asked too often', async () => Response.json({}, { status: 429 }), 'wait'],
  ['does not answer', () => Promise.reject(new TypeError('Failed to fetch')), 'unreachable'],
] as const)('other provider: the backend %s', async (_name, answer, kind) => {
  answering(answer);
  expect(await providerLogin(backend, 'google')).toMatchObject({ kind });
});

it.each([
  [
    { external: { google: true, azure: false, email: true, phone: true, anonymous_users: true }, saml_enabled: true },
    { company: true, providers: ['google'] },
  ],
  [{ external: null }, { company: false, providers: [] }],
  [{}, { company: false, providers: [] }],
])('other ways: %o offers %o', async (settings, offered) => {
  answering(async () => Response.json(settings));
  expect(await otherLogins(backend)).toEqual(offered);
});
