/** Requests of the own account ('Konto'). All throw OwnAccountError unless they say otherwise. */
import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import { type OwnSession, OwnSessionsSchema } from '#contract/accounts.ts';
import { clearUserData, REVIEW_KEY, tryToStore } from './browser-storage.ts';
import type { BackendClient } from './client.ts';
import { ProblemError } from './own-server.ts';
import { storedAccessToken } from './stored-session.ts';

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

export class OwnAccountError extends ProblemError<OwnAccountErrorCode> {
  override readonly name = 'OwnAccountError';
}

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

function expectDone(error: Refusal | null): void {
  if (error !== null) throw new OwnAccountError(mapError(error));
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
): Promise<void> {
  const attributes = current === '' ? { password } : { password, current_password: current };
  const { error } = await supabase.auth.updateUser(attributes);
  // A password of more than 72 bytes.
  if (error?.code === 'validation_failed') throw new OwnAccountError('weak');
  expectDone(error);
}

/** Takes effect after both mailboxes have confirmed. */
export async function changeEmail({ supabase }: BackendClient, email: string): Promise<void> {
  expectDone((await supabase.auth.updateUser({ email }, { emailRedirectTo: `${location.origin}/konto` })).error);
}

/**
 * Lists the account's sessions, last used first; undefined if the backend does not support it (decision 0060). Throws
 * an Error with the backend's message.
 */
export async function ownSessions({ supabase }: BackendClient): Promise<readonly OwnSession[] | undefined> {
  const { data, error } = await supabase.rpc('my_sessions');
  if (error === null) return OwnSessionsSchema.safeParse(data).data;
  if (UNSUPPORTED.has(error.code)) return undefined;
  throw new Error(error.message);
}

export async function endSession({ supabase }: BackendClient, session: string): Promise<void> {
  const { error } = await supabase.rpc('end_session', { session });
  if (error !== null) throw new OwnAccountError('failed');
}

export async function endOtherSessions({ supabase }: BackendClient): Promise<void> {
  expectDone((await supabase.auth.signOut({ scope: 'others' })).error);
}

/** Logs out (§4) on every device including this one, unless somebody else has logged in here meanwhile. */
export async function signOutEverywhere({ supabase, config }: BackendClient): Promise<void> {
  const token = (await supabase.auth.getSession()).data.session?.access_token;
  // supabase-js has none for a minute after a refresh without an answer.
  if (token === undefined) throw new OwnAccountError('unreachable');
  const { error } = await supabase.auth.admin.signOut(token, 'global');
  // As supabase-js does: this session has ended already.
  expectDone(error !== null && [401, 403, 404].includes(error.status ?? 0) ? null : error);
  if (token !== storedAccessToken(config.supabaseUrl)) return;
  clearUserData();
  sessionStorage.removeItem(REVIEW_KEY);
  await supabase.auth.signOut({ scope: 'local' });
}

/** Second factors of the own account: authenticator apps and passkeys. */
export type Factor = Readonly<{ id: string; kind: 'app' | 'passkey'; name: string; createdAt: string }>;

/** An app during set-up. `qrCode`: a data URI. `secret`: for manual entry. */
export type AppSetUp = Readonly<{ factorId: string; qrCode: string; secret: string }>;

const KINDS = { totp: 'app', webauthn: 'passkey' } as const;

export async function verifiedFactors({ supabase }: BackendClient): Promise<readonly Factor[]> {
  const { data, error } = await supabase.auth.mfa.listFactors();
  if (error !== null) throw new OwnAccountError(mapError(error));
  return data.all.flatMap(({ id, status, factor_type: type, friendly_name: name, created_at }) => {
    const kind = type === 'totp' || type === 'webauthn' ? KINDS[type] : undefined;
    return status !== 'verified' || kind === undefined ? [] : [{ id, kind, name: name ?? '', createdAt: created_at }];
  });
}

/** As many as `max_enrolled_factors` allows. */
const FACTORS_MAX = 10;

/** The app that this tab has begun last. Phones load a page again when its person comes back from the app. */
const BEGUN = 'begun_app';

export async function setUpApp(backend: BackendClient, name: string): Promise<AppSetUp> {
  const { mfa } = backend.supabase.auth;
  const enrol = (friendlyName: string) => mfa.enroll({ factorType: 'totp', friendlyName });
  await dropUnfinished(backend);
  let answer = await enrol(name);
  // What another tab has begun must stay, and what a closed tab has begun goes by itself within minutes.
  for (let number = 2; isNameTaken(answer.error) && number <= FACTORS_MAX; number += 1)
    answer = await enrol(`${name} (${number})`);
  const { data, error } = answer;
  if (error !== null) throw new OwnAccountError(mapError(error));
  tryToStore(sessionStorage, BEGUN, data.id);
  return { factorId: data.id, qrCode: data.totp.qr_code, secret: data.totp.secret };
}

/** A cancelled dialog leaves an unconfirmed app, which cannot be resumed. */
async function dropUnfinished({ supabase }: BackendClient): Promise<void> {
  const begun = sessionStorage.getItem(BEGUN);
  if (begun === null) return;
  const { data } = await supabase.auth.mfa.listFactors();
  const left = data?.all.find(({ id, status }) => id === begun && status === 'unverified');
  if (left !== undefined) await supabase.auth.mfa.unenroll({ factorId: left.id });
}

const isNameTaken = (error: Readonly<{ code?: string | undefined }> | null): boolean =>
  error?.code === 'mfa_factor_name_conflict';

/** Confirms an app during set-up or at the login. */
export async function confirmCode({ supabase }: BackendClient, factorId: string, code: string): Promise<void> {
  expectDone((await supabase.auth.mfa.challengeAndVerify({ factorId, code })).error);
}

/**
 * Adds a passkey of this device if it can store one, else of a key or a phone; the official client alone would allow
 * only the latter.
 */
export async function addPasskey({ supabase }: BackendClient, name: string): Promise<void> {
  const here = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false);
  const authenticatorSelection = { authenticatorAttachment: here ? 'platform' : 'cross-platform' } as const;
  const register = () => supabase.auth.mfa.webauthn.register({ friendlyName: name }, { authenticatorSelection });
  const { error } = await register();
  // A cancelled attempt still has the name; the official client removes it but does not retry.
  expectDone(isNameTaken(error) ? (await register()).error : error);
}

export async function confirmPasskey({ supabase }: BackendClient, factorId: string): Promise<void> {
  expectDone((await supabase.auth.mfa.webauthn.authenticate({ factorId })).error);
}

/** The session falls with the factor that it has shown; its new token says whether another one is due. */
export async function removeFactor({ supabase, recheck }: BackendClient, factorId: string): Promise<void> {
  expectDone((await supabase.auth.mfa.unenroll({ factorId })).error);
  await recheck?.();
}
