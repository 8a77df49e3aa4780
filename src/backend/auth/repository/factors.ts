import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import type { StoredCredential } from '../factors/passkeys.ts';
import { findRow, insertRow, updateRow } from './rows.ts';

export type FactorType = 'totp' | 'phone' | 'webauthn';

export type FactorRow = Readonly<{
  id: string;
  user_id: string;
  friendly_name: string | null;
  factor_type: FactorType;
  status: 'unverified' | 'verified';
  created_at: Date;
  updated_at: Date;
  /** Sealed (factors/secret-box.ts). */
  secret: string | null;
  phone: string | null;
  last_challenged_at: Date | null;
  web_authn_credential: StoredCredential | null;
  /** bigint, which pg returns as text. */
  last_totp_step: string | null;
}>;

const COLUMNS = `id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone,
  last_challenged_at, web_authn_credential, last_totp_step`;

export async function findFactors(tx: Tx, userId: string): Promise<FactorRow[]> {
  const sql = `select ${COLUMNS} from auth.mfa_factors where user_id = $1 order by created_at, id`;
  return (await tx.query<FactorRow>(sql, [userId])).rows;
}

/** Finds the factor only where it belongs to this user. */
export function findFactor(tx: Tx, userId: string, id: string): Promise<FactorRow | undefined> {
  const sql = `select ${COLUMNS} from auth.mfa_factors where id = $1 and user_id = $2`;
  return findRow(tx, sql, [id, userId]);
}

export type NewFactor = Readonly<{
  id: string;
  userId: string;
  name: string;
  type: FactorType;
  secret?: string;
  phone?: string;
  at: Date;
}>;

export async function insertFactor(tx: Tx, factor: NewFactor): Promise<void> {
  const { id, userId: user_id, name: friendly_name, type: factor_type, secret, phone, at } = factor;
  const times = { created_at: at, updated_at: at };
  const row = { id, user_id, friendly_name, factor_type, status: 'unverified', secret, phone, ...times };
  await insertRow(tx, 'auth.mfa_factors', row);
}

/** The name is SQL, so the type is the allow-list. */
export type FactorChange = Partial<
  Readonly<{
    friendly_name: string;
    phone: string;
    status: 'verified';
    last_challenged_at: Date | null;
    last_totp_step: number;
    secret: string;
    web_authn_credential: StoredCredential;
    web_authn_aaguid: string;
  }>
>;

export async function updateFactor(tx: Tx, id: string, change: FactorChange, at: Date): Promise<void> {
  await updateRow(tx, 'auth.mfa_factors', id, { ...change, updated_at: at });
}

export async function deleteFactor(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.mfa_factors where id = $1', [id]);
}

export async function deleteUserFactors(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from auth.mfa_factors where user_id = $1', [userId]);
}

/** Deletes the user's unverified factors of the same kind once one is verified. */
export async function deleteUnverified(tx: Tx, userId: string, type: FactorType): Promise<void> {
  await tx.query(`delete from auth.mfa_factors where user_id = $1 and factor_type = $2 and status = 'unverified'`, [
    userId,
    type,
  ]);
}

/** Deletes unverified factors from before `before` without a challenge since then. */
export async function deleteAbandoned(tx: Tx, userId: string, before: Date): Promise<void> {
  await tx.query(
    `delete from auth.mfa_factors as f
     where f.user_id = $1 and f.status = 'unverified' and f.created_at < $2
       and not exists (select from auth.mfa_challenges where factor_id = f.id and created_at >= $2)`,
    [userId, before],
  );
}

/** Lowers the sessions that this factor upgraded and removes its method from their tokens. */
export async function lowerSessionsToAal1(tx: Tx, factorId: string, method: string): Promise<void> {
  await tx.query(
    `delete from auth.mfa_amr_claims where authentication_method = $2
       and session_id in (select id from auth.sessions where factor_id = $1)`,
    [factorId, method],
  );
  await tx.query(`update auth.sessions set aal = 'aal1', factor_id = null where factor_id = $1`, [factorId]);
}

/** The challenge of a passkey; upstream calls it session data. */
export type WebAuthnQuestion = Readonly<{ type: 'create' | 'request'; challenge: string }>;

export type ChallengeRow = Readonly<{
  id: string;
  created_at: Date;
  verified_at: Date | null;
  /** Whether the challenge was requested from the answering address. */
  same_address: boolean;
  /** Sealed (factors/secret-box.ts). */
  otp_code: string | null;
  web_authn_session_data: WebAuthnQuestion | null;
}>;

/** Placeholder for an unknown address, since the column is not null. */
const NO_ADDRESS = '0.0.0.0';

type NewChallenge = Readonly<{
  id?: string;
  factorId: string;
  address: string | undefined;
  otpCode?: string;
  question?: WebAuthnQuestion;
  at: Date;
}>;

/** Returns the new id; undefined where the factor was removed meanwhile. */
export async function insertChallenge(tx: Tx, challenge: NewChallenge): Promise<string | undefined> {
  const id = challenge.id ?? randomUUID();
  const asked = await tx.query('update auth.mfa_factors set last_challenged_at = $2 where id = $1', [
    challenge.factorId,
    challenge.at,
  ]);
  if (asked.rowCount === 0) return undefined;
  await insertRow(tx, 'auth.mfa_challenges', {
    id,
    factor_id: challenge.factorId,
    created_at: challenge.at,
    ip_address: challenge.address ?? NO_ADDRESS,
    otp_code: challenge.otpCode,
    web_authn_session_data: challenge.question,
  });
  return id;
}

/** Locks the challenge until the transaction ends, so that it is answered once. */
export function lockChallenge(
  tx: Tx,
  asked: Readonly<{ id: string; factorId: string; address: string | undefined }>,
): Promise<ChallengeRow | undefined> {
  const sql = `select id, created_at, verified_at, ip_address = $3::inet as same_address, otp_code,
    web_authn_session_data
    from auth.mfa_challenges where id = $1 and factor_id = $2 for update`;
  return findRow(tx, sql, [asked.id, asked.factorId, asked.address ?? NO_ADDRESS]);
}

export async function markVerified(tx: Tx, id: string, at: Date): Promise<void> {
  await updateRow(tx, 'auth.mfa_challenges', id, { verified_at: at });
}

export async function deleteChallenge(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.mfa_challenges where id = $1', [id]);
}
