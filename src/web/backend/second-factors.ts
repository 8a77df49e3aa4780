import type { BackendClient } from './client.ts';
import { deedOf, faultOf, type Deed } from './own-account.ts';

/** Second factors of the own account (supabase-contract §1.4): authenticator apps and passkeys. */
export type Factor = Readonly<{ id: string; kind: 'app' | 'passkey'; name: string; createdAt: string }>;

/** An app that is being set up. `qrCode`: a data URI. `secret`: for whoever cannot scan it. */
export type AppSetUp = Readonly<{ factorId: string; qrCode: string; secret: string }>;

const KINDS = { totp: 'app', webauthn: 'passkey' } as const;

export async function verifiedFactors({ supabase }: BackendClient): Promise<Deed<readonly Factor[]>> {
  const { data, error } = await supabase.auth.mfa.listFactors();
  if (error !== null) return { ok: false, fault: faultOf(error) };
  const factors = data.all.flatMap((factor) => {
    const kind =
      factor.factor_type === 'totp' || factor.factor_type === 'webauthn' ? KINDS[factor.factor_type] : undefined;
    if (factor.status !== 'verified' || kind === undefined) return [];
    return [{ id: factor.id, kind, name: factor.friendly_name ?? '', createdAt: factor.created_at }];
  });
  return { ok: true, value: factors };
}

export async function setUpApp(backend: BackendClient, name: string): Promise<Deed<AppSetUp>> {
  const { mfa } = backend.supabase.auth;
  const enrol = () => mfa.enroll({ factorType: 'totp', friendlyName: name });
  const first = await enrol();
  const begunBefore = isNameTaken(first.error) && (await dropUnfinished(backend, name));
  const { data, error } = begunBefore ? await enrol() : first;
  if (error !== null) return { ok: false, fault: faultOf(error) };
  return { ok: true, value: { factorId: data.id, qrCode: data.totp.qr_code, secret: data.totp.secret } };
}

function isNameTaken(error: Readonly<{ code?: string | undefined }> | null): boolean {
  return error?.code === 'mfa_factor_name_conflict';
}

/** Somebody closed the dialog, or the page, before the factor was confirmed: what was begun is not to be had again. */
async function dropUnfinished({ supabase }: BackendClient, name: string): Promise<boolean> {
  const { data } = await supabase.auth.mfa.listFactors();
  const left = data?.all.find(({ friendly_name, status }) => friendly_name === name && status === 'unverified');
  return left !== undefined && (await supabase.auth.mfa.unenroll({ factorId: left.id })).error === null;
}

/** Confirms an app that is being set up, or proves one at the login. */
export async function confirmCode({ supabase }: BackendClient, factorId: string, code: string): Promise<Deed> {
  return deedOf((await supabase.auth.mfa.challengeAndVerify({ factorId, code })).error);
}

/**
 * In this device where it can keep passkeys, else on a key or a phone: the official client alone would take only the
 * latter.
 */
export async function addPasskey({ supabase }: BackendClient, name: string): Promise<Deed> {
  const here = await PublicKeyCredential.isUserVerifyingPlatformAuthenticatorAvailable().catch(() => false);
  const authenticatorSelection = { authenticatorAttachment: here ? 'platform' : 'cross-platform' } as const;
  const { webauthn } = supabase.auth.mfa;
  const register = () => webauthn.register({ friendlyName: name }, { authenticatorSelection });
  const { error } = await register();
  // One that was cancelled before has the name; the official client takes it away then, and leaves it at that.
  return deedOf(isNameTaken(error) ? (await register()).error : error);
}

export async function confirmPasskey({ supabase }: BackendClient, factorId: string): Promise<Deed> {
  return deedOf((await supabase.auth.mfa.webauthn.authenticate({ factorId })).error);
}

export async function removeFactor({ supabase }: BackendClient, factorId: string): Promise<Deed> {
  return deedOf((await supabase.auth.mfa.unenroll({ factorId })).error);
}
