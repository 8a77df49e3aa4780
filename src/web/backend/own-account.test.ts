import { AuthRetryableFetchError } from '@supabase/supabase-js';
import { expect, it } from 'vitest';
import { mapError, toResult } from './own-account.ts';

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

it('Maps a missing answer to unreachable and no error to success', () => {
  expect(mapError(new AuthRetryableFetchError('Failed to fetch', 0))).toBe('unreachable');
  expect(toResult(null)).toEqual({ ok: true, value: undefined });
});
