import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

type AuditAction =
  | 'login' | 'login_failed' | 'logout' | 'token_refreshed' | 'token_revoked' | 'user_signedup' | 'user_repeated_signup'
  | 'user_invited' | 'invite_accepted' | 'user_deleted' | 'user_modified' | 'user_updated_password'
  | 'user_recovery_requested' | 'user_confirmation_requested' | 'user_reauthenticate_requested'
  | 'identity_linked' | 'identity_unlinked' | 'sso_provider_created' | 'sso_provider_modified'
  | 'sso_provider_deleted' | 'factor_in_progress' | 'factor_unenrolled' | 'factor_deleted'
  | 'challenge_created' | 'verification_attempted' | 'verification_failed'; // prettier-ignore

export type AuditEntry = Readonly<{
  action: AuditAction;
  /** Who did it; nobody known where a login failed. */
  actorId: string | undefined;
  /** Whom it was done to, where that is somebody else. */
  userId?: string;
  address: string | undefined;
  /** Ids of what it was done with. */
  traits?: Readonly<{ factor_id: string; factor_type: string; challenge_id?: string }>;
  at: Date;
}>;

/** Ids only: names and e-mail addresses would outlive the account here. */
export async function audit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { action, actorId, userId, traits } = entry;
  const payload = { action, actor_id: actorId ?? null, user_id: userId, traits, timestamp: entry.at };
  await tx.query('insert into auth.audit_log_entries (id, payload, created_at, ip_address) values ($1, $2, $3, $4)', [
    randomUUID(), JSON.stringify(payload), entry.at, entry.address ?? '',
  ]); // prettier-ignore
}

/** Whether this account was entered from this address before, or showed its second factor there. */
export async function hasDone(
  tx: Tx,
  userId: string,
  action: 'login' | 'verification_attempted',
  address: string,
): Promise<boolean> {
  const sql = `select from auth.audit_log_entries
    where payload ->> 'actor_id' = $1 and ip_address = $2 and payload ->> 'action' = $3 limit 1`;
  return (await tx.query(sql, [userId, address, action])).rows.length > 0;
}
