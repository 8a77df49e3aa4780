import {
  isAuthApiError,
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  type AuthError,
} from '@supabase/supabase-js';
import type { BackendClient } from './client.ts';

/** Why nobody was signed in. `rejected` carries the backend's own message (§8 'Anmeldefehler'). */
export type SignInResult =
  | Readonly<{ ok: true }>
  | Readonly<{ ok: false; reason: 'credentials' | 'unexpected' | 'unreachable' }>
  | Readonly<{ ok: false; reason: 'rejected'; message: string }>;

const SERVER_ERROR = 500;
const NEW_PASSWORD_PATH = '/passwort-neu';

export async function signIn(
  { supabase }: BackendClient,
  credentials: Readonly<{ email: string; password: string }>,
): Promise<SignInResult> {
  const { error } = await supabase.auth.signInWithPassword(credentials);
  return error === null ? { ok: true } : { ok: false, ...reasonOf(error) };
}

function reasonOf(error: AuthError) {
  if (error.code === 'invalid_credentials') return { reason: 'credentials' } as const;
  if (isAuthRetryableFetchError(error) && error.status === 0) return { reason: 'unreachable' } as const;
  if (!isAuthApiError(error) || error.status >= SERVER_ERROR) return { reason: 'unexpected' } as const;
  return { reason: 'rejected', message: error.message } as const;
}

/** D15. The answer never says whether the address has an account; only a missing connection is told apart. */
export async function requestPasswordReset(
  { supabase }: BackendClient,
  email: string,
): Promise<'sent' | 'unreachable'> {
  const redirectTo = `${location.origin}${NEW_PASSWORD_PATH}`;
  const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo });
  return isAuthRetryableFetchError(error) && error.status === 0 ? 'unreachable' : 'sent';
}

export type SetPasswordResult =
  | Readonly<{ ok: true }>
  | Readonly<{ ok: false; reason: 'weak' | 'same' | 'session' | 'failed' }>;

export async function setPassword({ supabase }: BackendClient, password: string): Promise<SetPasswordResult> {
  const { error } = await supabase.auth.updateUser({ password });
  if (error === null) return { ok: true };
  if (error.code === 'weak_password') return { ok: false, reason: 'weak' };
  if (error.code === 'same_password') return { ok: false, reason: 'same' };
  if (isAuthSessionMissingError(error) || error.status === 401 || error.status === 403)
    return { ok: false, reason: 'session' };
  return { ok: false, reason: 'failed' };
}
