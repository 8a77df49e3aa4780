import {
  isAuthApiError,
  isAuthRetryableFetchError,
  isAuthSessionMissingError,
  type AuthError,
} from '@supabase/supabase-js';
import { readAddress } from '#contract/addresses.ts';
import type { BackendClient } from './client.ts';

/** Why a sign-in failed. `rejected` carries the backend's own message (§8 'Anmeldefehler'). */
export type SignInResult =
  | Readonly<{ ok: true }>
  | Readonly<{ ok: false; reason: 'credentials' | 'captcha' | 'unexpected' | 'unreachable' }>
  | Readonly<{ ok: false; reason: 'rejected'; message: string }>;

/** A solved captcha, where the backend asks for one (`config.captcha`). */
export type CaptchaProof = Readonly<{ captchaToken: string | undefined }>;

type EmailProof = Readonly<{ email: string }> & CaptchaProof;

const SERVER_ERROR = 500;
const NEW_PASSWORD_PATH = '/passwort-neu';
export const NOT_SOLVED = 'captcha_failed';

export function getProof(captchaToken: string | undefined): { captchaToken?: string } {
  return captchaToken === undefined ? {} : { captchaToken };
}

export async function signIn(
  { supabase }: BackendClient,
  { email, password, captchaToken }: Readonly<{ email: string; password: string }> & CaptchaProof,
): Promise<SignInResult> {
  const credentials = { email: readAddress(email), password, options: getProof(captchaToken) };
  const { error } = await supabase.auth.signInWithPassword(credentials);
  return error === null ? { ok: true } : { ok: false, ...getReason(error) };
}

function getReason(error: AuthError) {
  if (error.code === 'invalid_credentials') return { reason: 'credentials' } as const;
  if (error.code === NOT_SOLVED) return { reason: 'captcha' } as const;
  if (isAuthRetryableFetchError(error) && error.status === 0) return { reason: 'unreachable' } as const;
  if (!isAuthApiError(error) || error.status >= SERVER_ERROR) return { reason: 'unexpected' } as const;
  return { reason: 'rejected', message: error.message } as const;
}

type MailRequest = 'sent' | 'wait' | 'captcha' | 'unreachable';

/** D15. Never says whether the address has an account: names only errors that concern every address. */
function toMailRequest({ config }: BackendClient, error: AuthError | null): MailRequest {
  if (error?.code === NOT_SOLVED) return 'captcha';
  // On a hosted project only an address with an account waits between two mails, and the first one is on its way.
  const isHosted = new URL(config.supabaseUrl).origin !== location.origin;
  if (isHosted && error?.message.startsWith('For security purposes') === true) return 'sent';
  if (error?.status === 429) return 'wait';
  return isAuthRetryableFetchError(error) ? 'unreachable' : 'sent';
}

export async function requestPasswordReset(
  backend: BackendClient,
  { email, captchaToken }: EmailProof,
): Promise<MailRequest> {
  const redirectTo = `${location.origin}${NEW_PASSWORD_PATH}`;
  const options = { redirectTo, ...getProof(captchaToken) };
  return toMailRequest(backend, (await backend.supabase.auth.resetPasswordForEmail(readAddress(email), options)).error);
}

export type SetPasswordResult =
  | Readonly<{ ok: true }>
  | Readonly<{ ok: false; reason: 'weak' | 'same' | 'current' | 'session' | 'failed' }>;

export async function setPassword({ supabase }: BackendClient, password: string): Promise<SetPasswordResult> {
  const { error } = await supabase.auth.updateUser({ password });
  if (error === null) return { ok: true };
  // The other one: of more than 72 bytes.
  if (error.code === 'weak_password' || error.code === 'validation_failed') return { ok: false, reason: 'weak' };
  if (error.code === 'same_password') return { ok: false, reason: 'same' };
  if (error.code === 'current_password_required') return { ok: false, reason: 'current' };
  if (isAuthSessionMissingError(error) || error.status === 401 || error.status === 403)
    return { ok: false, reason: 'session' };
  return { ok: false, reason: 'failed' };
}

/** An unknown address may be refused (contract §1.4), which is not passed on. */
export async function requestMailCode(
  backend: BackendClient,
  { email, captchaToken }: EmailProof,
): Promise<MailRequest> {
  const options = { shouldCreateUser: false, ...getProof(captchaToken) };
  const { error } = await backend.supabase.auth.signInWithOtp({ email: readAddress(email), options });
  return toMailRequest(backend, error);
}

export async function signInWithMailCode(
  { supabase }: BackendClient,
  { email, code }: Readonly<{ email: string; code: string }>,
): Promise<'ok' | 'wrong' | 'wait' | 'locked' | 'unreachable'> {
  const { error } = await supabase.auth.verifyOtp({ email: readAddress(email), token: code, type: 'email' });
  if (error === null) return 'ok';
  if (error.code === 'user_banned') return 'locked';
  if (error.status === 429) return 'wait';
  return isAuthRetryableFetchError(error) ? 'unreachable' : 'wrong';
}
