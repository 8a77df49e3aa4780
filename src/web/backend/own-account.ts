import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import { OwnSessionsSchema, type OwnSession } from '#contract/own-sessions.ts';
import type { BackendClient } from './client.ts';

/** Requests of the own account ('Konto'). */

/** Why an action failed; the screen has a text for each code. */
export type OwnAccountErrorCode =
  | 'weak'
  | 'same'
  | 'taken'
  | 'wrong-code'
  | 'too-often'
  | 'second-factor'
  /** Single sign-on: the company manages address and password. */
  | 'managed'
  /** The last login is too old for this change. */
  | 'old-login'
  /** The backend requires the present password. */
  | 'current-needed'
  | 'current-wrong'
  | 'signed-out'
  | 'cancelled'
  | 'unreachable'
  | 'failed';

export type ActionResult<T = undefined> =
  | Readonly<{ ok: true; value: T }>
  | Readonly<{ ok: false; code: OwnAccountErrorCode }>;

const ERROR_CODES: Readonly<Record<string, OwnAccountErrorCode>> = {
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

/** The function is missing or not permitted. */
const UNSUPPORTED = new Set(['PGRST202', '42501']);

/** An error of the official client, from the backend or the browser's passkey dialog. */
type Refusal = Readonly<{ name: string; code?: string | undefined; status?: number | undefined }>;

export function toResult(error: Refusal | null): ActionResult {
  return error === null ? { ok: true, value: undefined } : { ok: false, code: mapError(error) };
}

export function mapError(error: Refusal): OwnAccountErrorCode {
  if (isAuthRetryableFetchError(error) && error.status === 0) return 'unreachable';
  if (error.status === 429) return 'too-often';
  // The person closed the browser's dialog.
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return 'cancelled';
  return ERROR_CODES[error.code ?? ''] ?? 'failed';
}

/** True for single sign-on, where the company manages address and password. */
export async function isManaged({ supabase }: BackendClient): Promise<boolean> {
  const { data } = await supabase.auth.getSession();
  return data.session?.user.app_metadata.provider?.startsWith('sso:') === true;
}

/** Ends every other session of the account. `current`: the present password, or ''. */
export async function changePassword(
  { supabase }: BackendClient,
  { password, current }: Readonly<{ password: string; current: string }>,
): Promise<ActionResult> {
  const attributes = current === '' ? { password } : { password, current_password: current };
  return toResult((await supabase.auth.updateUser(attributes)).error);
}

/** Takes effect after both mailboxes have confirmed. */
export async function changeEmail({ supabase }: BackendClient, email: string): Promise<ActionResult> {
  const emailRedirectTo = `${location.origin}/konto`;
  return toResult((await supabase.auth.updateUser({ email }, { emailRedirectTo })).error);
}

/**
 * Lists the account's sessions, last used first; undefined if the backend does not support it (decision 0060). Throws.
 */
export async function ownSessions({ supabase }: BackendClient): Promise<readonly OwnSession[] | undefined> {
  const { data, error } = await supabase.rpc('my_sessions');
  if (error === null) return OwnSessionsSchema.safeParse(data).data;
  if (UNSUPPORTED.has(error.code)) return undefined;
  throw new Error(error.message);
}

export async function endSession({ supabase }: BackendClient, session: string): Promise<ActionResult> {
  const { error } = await supabase.rpc('end_session', { session });
  return error === null ? { ok: true, value: undefined } : { ok: false, code: 'failed' };
}

export async function endOtherSessions({ supabase }: BackendClient): Promise<ActionResult> {
  return toResult((await supabase.auth.signOut({ scope: 'others' })).error);
}

/** Signs out on every device including this one; supabase-js then emits the sign-out. */
export async function signOutEverywhere({ supabase }: BackendClient): Promise<ActionResult> {
  return toResult((await supabase.auth.signOut({ scope: 'global' })).error);
}
