import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import { OwnSessionsSchema, type OwnSession } from '#contract/own-sessions.ts';
import type { BackendClient } from './client.ts';

/** What a person does to their own account ('Konto'). */

/** Why nothing was changed; the screen has a text for each. */
export type AccountFault =
  | 'weak'
  | 'same'
  | 'taken'
  | 'wrong-code'
  | 'too-often'
  | 'second-factor'
  /** A company's login: address and password are kept there. */
  | 'managed'
  /** Too long ago that the password was shown. */
  | 'old-login'
  /** This backend changes a password only for who knows the present one. */
  | 'current-needed'
  | 'current-wrong'
  | 'signed-out'
  | 'cancelled'
  | 'unreachable'
  | 'failed';

export type Deed<T = undefined> = Readonly<{ ok: true; value: T }> | Readonly<{ ok: false; fault: AccountFault }>;

const FAULTS: Readonly<Record<string, AccountFault>> = {
  weak_password: 'weak',
  same_password: 'same',
  email_exists: 'taken',
  mfa_verification_failed: 'wrong-code',
  mfa_challenge_expired: 'wrong-code',
  otp_expired: 'wrong-code',
  insufficient_aal: 'second-factor',
  user_sso_managed: 'managed',
  reauthentication_needed: 'old-login',
  current_password_required: 'current-needed',
  current_password_invalid: 'current-wrong',
  session_not_found: 'signed-out',
  ERROR_CEREMONY_ABORTED: 'cancelled',
};

/** There is no such function, or its owner may not look. */
const UNTOLD = new Set(['PGRST202', '42501']);

/** What the official client says went wrong, whether the backend or the browser's own dialog for passkeys. */
type Refusal = Readonly<{ name: string; code?: string | undefined; status?: number | undefined }>;

export function deedOf(error: Refusal | null): Deed {
  return error === null ? { ok: true, value: undefined } : { ok: false, fault: faultOf(error) };
}

export function faultOf(error: Refusal): AccountFault {
  if (isAuthRetryableFetchError(error) && error.status === 0) return 'unreachable';
  if (error.status === 429) return 'too-often';
  // The browser's own dialog was closed, or nothing was chosen in it.
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return 'cancelled';
  return FAULTS[error.code ?? ''] ?? 'failed';
}

/** Whether a company's own login is the way in: address and password are then changed there. */
export async function isManaged({ supabase }: BackendClient): Promise<boolean> {
  const { data } = await supabase.auth.getSession();
  return data.session?.user.app_metadata.provider?.startsWith('sso:') === true;
}

/** Every other session of the account ends with it. `current`: '' where it was not asked for. */
export async function changePassword(
  { supabase }: BackendClient,
  { password, current }: Readonly<{ password: string; current: string }>,
): Promise<Deed> {
  const wish = current === '' ? { password } : { password, current_password: current };
  return deedOf((await supabase.auth.updateUser(wish)).error);
}

/** Nothing changes before both mailboxes have agreed. */
export async function changeEmail({ supabase }: BackendClient, email: string): Promise<Deed> {
  const emailRedirectTo = `${location.origin}/konto`;
  return deedOf((await supabase.auth.updateUser({ email }, { emailRedirectTo })).error);
}

/**
 * Where the account is signed in, last used first; undefined where the backend does not tell (decision 0060). Throws.
 */
export async function ownSessions({ supabase }: BackendClient): Promise<readonly OwnSession[] | undefined> {
  const { data, error } = await supabase.rpc('my_sessions');
  if (error === null) return OwnSessionsSchema.safeParse(data).data;
  if (UNTOLD.has(error.code)) return undefined;
  throw new Error(error.message);
}

export async function endSession({ supabase }: BackendClient, session: string): Promise<Deed> {
  const { error } = await supabase.rpc('end_session', { session });
  return error === null ? { ok: true, value: undefined } : { ok: false, fault: 'failed' };
}

export async function endOtherSessions({ supabase }: BackendClient): Promise<Deed> {
  return deedOf((await supabase.auth.signOut({ scope: 'others' })).error);
}

/** On every device, this one included; supabase-js then tells that nobody is signed in. */
export async function signOutEverywhere({ supabase }: BackendClient): Promise<Deed> {
  return deedOf((await supabase.auth.signOut({ scope: 'global' })).error);
}
