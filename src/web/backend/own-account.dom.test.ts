import { AuthRetryableFetchError, type SupabaseClient } from '@supabase/supabase-js';
import { beforeEach, expect, it, vi } from 'vitest';
import type { BackendClient } from './client.ts';
import { mapError, setUpApp } from './own-account.ts';

beforeEach(() => sessionStorage.clear());

it.each([
  [{ name: 'AuthApiError', code: 'weak_password', status: 422 }, 'weak'],
  [{ name: 'AuthApiError', code: 'email_exists', status: 422 }, 'taken'],
  [{ name: 'AuthApiError', code: 'mfa_verification_failed', status: 422 }, 'wrong-code'],
  [{ name: 'AuthApiError', code: 'insufficient_aal', status: 401 }, 'second-factor'],
  [{ name: 'AuthApiError', code: 'user_sso_managed', status: 422 }, 'managed'],
  [{ name: 'AuthApiError', code: 'reauthentication_needed', status: 400 }, 'old-login'],
  [{ name: 'AuthApiError', code: 'over_request_rate_limit', status: 429 }, 'too-often'],
  [{ name: 'WebAuthnError', code: 'ERROR_CEREMONY_ABORTED' }, 'cancelled'],
  [{ name: 'NotAllowedError' }, 'cancelled'],
  [{ name: 'AuthApiError', code: 'something_new', status: 400 }, 'failed'],
] as const)('Maps %o to %s', (error, code) => {
  expect(mapError(error)).toBe(code);
});

it('Maps a missing answer to unreachable', () => {
  expect(mapError(new AuthRetryableFetchError('Failed to fetch', 0))).toBe('unreachable');
});

/** A server at which these apps have been begun. */
function stubFactors(begun: Set<string>) {
  const unenroll = vi.fn(async ({ factorId }: { factorId: string }) => ({ error: begun.delete(factorId) ? null : {} }));
  const enroll = async ({ friendlyName }: { friendlyName: string }) => {
    if (begun.has(friendlyName))
      return { data: null, error: { name: 'AuthApiError', code: 'mfa_factor_name_conflict', status: 422 } };
    begun.add(friendlyName);
    return { data: { id: friendlyName, totp: { qr_code: 'data:', secret: 'ABC' } }, error: null };
  };
  const listFactors = async () => ({
    data: { all: [...begun].map((name) => ({ id: name, friendly_name: name, status: 'unverified' })) },
  });
  const auth = { mfa: { enroll, unenroll, listFactors } };
  return { unenroll, backend: { supabase: { auth } as unknown as SupabaseClient } as BackendClient };
}

const getApp = (factorId: string) => ({ factorId, qrCode: 'data:', secret: 'ABC' });

it('Leaves an app that another tab is setting up alone, takes the next name, and gives up its own one (§6)', async () => {
  const { backend, unenroll } = stubFactors(new Set(['App', 'App (2)']));
  expect(await setUpApp(backend, 'App')).toEqual(getApp('App (3)'));
  expect(unenroll).not.toHaveBeenCalled();
  expect(await setUpApp(backend, 'App'), 'cancelled and begun once more').toEqual(getApp('App (3)'));
  expect(unenroll.mock.calls).toEqual([[{ factorId: 'App (3)' }]]);
});

it('Replaces the app that this tab began before it was loaded again, as phones do behind the app (§6)', async () => {
  const { backend } = stubFactors(new Set());
  expect(await setUpApp(backend, 'App')).toEqual(getApp('App'));
  vi.resetModules();
  const loadedAgain = await import('./own-account.ts');
  expect(await loadedAgain.setUpApp(backend, 'App')).toEqual(getApp('App'));
});
