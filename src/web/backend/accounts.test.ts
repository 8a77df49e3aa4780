import { afterEach, expect, test, vi } from 'vitest';
import type { SupabaseClient } from '@supabase/supabase-js';
import { AccountsError, connectAccounts } from './accounts.ts';
import type { BackendClient } from './client.ts';

const auth = { getSession: async () => ({ data: { session: { access_token: 'mein-token' } } }) };
const accounts = connectAccounts({ supabase: { auth } as unknown as SupabaseClient } as BackendClient);
const signal = new AbortController().signal;

afterEach(() => vi.unstubAllGlobals());

function answering(answer: () => Response | Promise<Response>) {
  const called = vi.fn(async () => answer());
  vi.stubGlobal('fetch', called);
  return called;
}

test('Shows the caller’s own token to our own server (D14)', async () => {
  const called = answering(() => Response.json({ accounts: [], total: 0, page: 1, perPage: 50 }));
  expect(await accounts.list({ search: 'a+b@c', page: 2 }, signal)).toMatchObject({ total: 0 });
  const [url, init] = called.mock.calls[0] as unknown as [string, { headers: Headers }];
  expect(url).toBe('/v1/accounts?search=a%2Bb%40c&page=2');
  expect(init.headers.get('authorization')).toBe('Bearer mein-token');
});

const failures: readonly (readonly [string, () => Response | Promise<Response>, string])[] = [
  [
    'an error of the catalogue',
    () => Response.json({ error: { code: 'last_admin', message: 'x' } }, { status: 409 }),
    'last_admin',
  ],
  ['an unknown error', () => Response.json({ error: { code: 'new', message: 'x' } }, { status: 409 }), 'unreachable'],
  ['a gateway’s page', () => new Response('<html>', { status: 502 }), 'unreachable'],
  ['another answer than agreed on', () => Response.json({ total: 1 }), 'unreachable'],
  ['no answer', () => Promise.reject(new TypeError('Failed to fetch')), 'unreachable'],
];

for (const [name, answer, problem] of failures) {
  test(`${name} is the problem ${problem}`, async () => {
    answering(answer);
    const error = await accounts.list({ search: '', page: 1 }, signal).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AccountsError);
    expect((error as AccountsError).problem).toBe(problem);
  });
}

test('an answer without content is one', async () => {
  answering(() => new Response(null, { status: 204 }));
  await expect(accounts.remove('x')).resolves.toBeUndefined();
});
