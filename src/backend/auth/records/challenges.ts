import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

/** What a passkey was asked: upstream's name for it is session data. */
export type WebAuthnQuestion = Readonly<{ type: 'create' | 'request'; challenge: string }>;

export type ChallengeRow = Readonly<{
  id: string;
  created_at: Date;
  verified_at: Date | null;
  /** Whether it was asked for from the address that answers now. */
  same_address: boolean;
  /** Sealed (factors/secret-box.ts). */
  otp_code: string | null;
  web_authn_session_data: WebAuthnQuestion | null;
}>;

/** What stands for an address that is none, since the column has to hold one. */
const NO_ADDRESS = '0.0.0.0';

export type NewChallenge = Readonly<{
  id?: string;
  factorId: string;
  address: string | undefined;
  otpCode?: string;
  question?: WebAuthnQuestion;
  at: Date;
}>;

/** The id. */
export async function insertChallenge(tx: Tx, challenge: NewChallenge): Promise<string> {
  const id = challenge.id ?? randomUUID();
  await tx.query(
    `insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, challenge.factorId, challenge.at, challenge.address ?? NO_ADDRESS, challenge.otpCode, challenge.question],
  );
  await tx.query('update auth.mfa_factors set last_challenged_at = $2 where id = $1', [
    challenge.factorId,
    challenge.at,
  ]);
  return id;
}

/** Held until the transaction ends, so that it is answered once. */
export async function lockChallenge(
  tx: Tx,
  asked: Readonly<{ id: string; factorId: string; address: string | undefined }>,
): Promise<ChallengeRow | undefined> {
  const sql = `select id, created_at, verified_at, ip_address = $3::inet as same_address, otp_code, web_authn_session_data
    from auth.mfa_challenges where id = $1 and factor_id = $2 for update`;
  return (await tx.query<ChallengeRow>(sql, [asked.id, asked.factorId, asked.address ?? NO_ADDRESS])).rows[0];
}

export async function markVerified(tx: Tx, id: string, at: Date): Promise<void> {
  await tx.query('update auth.mfa_challenges set verified_at = $2 where id = $1', [id, at]);
}

export async function deleteChallenge(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.mfa_challenges where id = $1', [id]);
}
