import type { BackendClient } from './client.ts';
import { mapError, toResult, type ActionResult } from './own-account.ts';

/** Second factors of the own account: authenticator apps and passkeys. */
export type Factor = Readonly<{ id: string; kind: 'app' | 'passkey'; name: string; createdAt: string }>;

/** An app during set-up. `qrCode`: a data URI. `secret`: for manual entry. */
export type AppSetUp = Readonly<{ factorId: string; qrCode: string; secret: string }>;

const KINDS = { totp: 'app', webauthn: 'passkey' } as const;

export async function verifiedFactors({ supabase }: BackendClient): Promise<ActionResult<readonly Factor[]>> {
  const { data, error } = await supabase.auth.mfa.listFactors();
  if (error !== null) return { ok: false, code: mapError(error) };
  const factors = data.all.flatMap((factor) => {
    const kind =
      factor.factor_type === 'totp' || factor.factor_type === 'webauthn' ? KINDS[factor.factor_type] : undefined;
    if (factor.status !== 'verified' || kind === undefined) return [];
    return [{ id: factor.id, kind, name: factor.friendly_name ?? '', createdAt: factor.created_at }];
  });
  return { ok: true, value: factors };
}

export async function setUpApp(backend: BackendClient, name: string): Promise<ActionResult<AppSetUp>> {
  const { mfa } = backend.supabase.auth;
  const enrol = () => mfa.enroll({ factorType: 'totp', friendlyName: name });
  const first = await enrol();
  const begunBefore = isNameTaken(first.error) && (await dropUnfinished(backend, name));
  const { data, error } = begunBefore ? await enrol() : first;
  if (error !== null) return { ok: false, code: mapError(error) };
  return { ok: true, value: { factorId: data.id, qrCode: data.totp.qr_code, secret: data.totp.secret } };
}

function isNameTaken(error: Readonly<{ code?: string | undefined }> | null): boolean {
  return error?.code === 'mfa_factor_name_conflict';
}

/** A closed dialog or page leaves an unconfirmed factor, which cannot be resumed. */
async function dropUnfinished({ supabase }: BackendClient, name: string): Promise<boolean> {
  const { data } = await supabase.auth.mfa.listFactors();
  const left = data?.all.find(({ friendly_name, status }) => friendly_name === name && status === 'unverified');
  return left !== undefined && (await supabase.auth.mfa.unenroll({ factorId: left.id })).error === null;
}

/** Confirms an app during set-up or at the login. */
export async function confirmCode({ supabase }: BackendClient, factorId: string, code: string): Promise<ActionResult> {
  return toResult((await supabase.auth.mfa.challengeAndVerify({ factorId, code })).error);
}

/**
 * Adds a passkey of this device if it can store one, else of a key or a phone; the official client alone would allow
 * only the latter.
 */
export async function addPasskey({ supabase }: BackendClient, name: string): Promise<ActionResult> {
  const here = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false);
  const authenticatorSelection = { authenticatorAttachment: here ? 'platform' : 'cross-platform' } as const;
  const { webauthn } = supabase.auth.mfa;
  const register = () => webauthn.register({ friendlyName: name }, { authenticatorSelection });
  const { error } = await register();
  // A cancelled attempt still has the name; the official client removes it but does not retry.
  return toResult(isNameTaken(error) ? (await register()).error : error);
}

export async function confirmPasskey({ supabase }: BackendClient, factorId: string): Promise<ActionResult> {
  return toResult((await supabase.auth.mfa.webauthn.authenticate({ factorId })).error);
}

export async function removeFactor({ supabase }: BackendClient, factorId: string): Promise<ActionResult> {
  return toResult((await supabase.auth.mfa.unenroll({ factorId })).error);
}
