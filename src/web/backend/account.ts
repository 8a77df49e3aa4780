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

/** The answer never says whether the address has an account (§1.4: unknown addresses are refused, which is not passed on). */
export async function requestMailCode(
  { supabase }: BackendClient,
  email: string,
): Promise<'sent' | 'wait' | 'unreachable'> {
  const { error } = await supabase.auth.signInWithOtp({ email, options: { shouldCreateUser: false } });
  if (error === null || error.code === 'otp_disabled') return 'sent';
  if (error.status === 429) return 'wait';
  return isAuthRetryableFetchError(error) ? 'unreachable' : 'sent';
}

export async function signInWithMailCode(
  { supabase }: BackendClient,
  { email, code }: Readonly<{ email: string; code: string }>,
): Promise<'ok' | 'wrong' | 'wait' | 'unreachable'> {
  const { error } = await supabase.auth.verifyOtp({ email, token: code, type: 'email' });
  if (error === null) return 'ok';
  if (error.status === 429) return 'wait';
  return isAuthRetryableFetchError(error) ? 'unreachable' : 'wrong';
}

/** Where the login of the company with this domain is. */
export async function companyLogin(
  { supabase }: BackendClient,
  domain: string,
): Promise<Readonly<{ kind: 'go'; url: string } | { kind: 'unknown' | 'unreachable' }>> {
  const { data, error } = await supabase.auth.signInWithSSO({
    domain,
    options: { redirectTo: `${location.origin}/login`, skipBrowserRedirect: true },
  });
  if (error === null) return { kind: 'go', url: data.url };
  return { kind: isAuthRetryableFetchError(error) ? 'unreachable' : 'unknown' };
}

/** Whether any company can sign in with its own login here. */
export async function offersCompanyLogin({ config }: BackendClient): Promise<boolean> {
  const response = await fetch(`${config.supabaseUrl}/auth/v1/settings`, { headers: { apikey: config.supabaseKey } });
  const settings: unknown = response.ok ? await response.json() : {};
  return (
    typeof settings === 'object' && settings !== null && 'saml_enabled' in settings && settings.saml_enabled === true
  );
}
