import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

/** All audit events with upstream's log type; `login_failed`, `verification_failed` and company sign-on are ours. */
export const AUDIT_ACTIONS = {
  login: 'account',
  login_failed: 'account',
  logout: 'account',
  invite_accepted: 'account',
  user_signedup: 'team',
  user_invited: 'team',
  user_deleted: 'team',
  token_refreshed: 'token',
  token_revoked: 'token',
  user_modified: 'user',
  user_updated_password: 'user',
  user_recovery_requested: 'user',
  user_confirmation_requested: 'user',
  user_reauthenticate_requested: 'user',
  user_repeated_signup: 'user',
  identity_linked: 'user',
  identity_unlinked: 'user',
  factor_in_progress: 'factor',
  factor_unenrolled: 'factor',
  factor_updated: 'factor',
  factor_deleted: 'factor',
  challenge_created: 'factor',
  verification_attempted: 'factor',
  verification_failed: 'factor',
  sso_provider_created: 'team',
  sso_provider_modified: 'team',
  sso_provider_deleted: 'team',
} as const;
export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** Upstream's name for the administration, a role without an account. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
const ADMINISTRATION = 'service_role';

type AuditEntry = Readonly<{
  action: AuditAction;
  /** The acting user; undefined for the administration and for a failed login with an unknown name. */
  actorId: string | undefined;
  /** The user that the administration changed. */
  userId?: string;
  address: string | undefined;
  /** Details of the event: ids and kinds, never an address or a name. */
  traits?: Readonly<
    Partial<
      Record<'provider' | 'identity_id' | 'sso_provider_id' | 'factor_id' | 'factor_type' | 'challenge_id', string>
    >
  >;
  at: Date;
}>;

export async function audit(tx: Tx, entry: AuditEntry): Promise<void> {
  await tx.query(
    `insert into auth.audit_log_entries (id, payload, created_at, ip_address)
     values ($1, ($2::jsonb || jsonb_build_object('actor_via_sso',
       coalesce((select is_sso_user from auth.users where id = $5), false)))::json, $3, $4)`,
    [randomUUID(), buildAuditPayload(entry), entry.at, entry.address ?? '', entry.actorId ?? null],
  );
}

/**
 * Upstream's format (decision 0090) as JSON, with ids only, since names and e-mail addresses would outlive the account.
 * The statement that writes it adds `actor_via_sso`.
 */
export function buildAuditPayload(entry: Omit<AuditEntry, 'address' | 'at'>): string {
  const { action, actorId, userId } = entry;
  const traits = { ...(userId === undefined ? {} : { user_id: userId }), ...entry.traits };
  const byAdministration = userId !== undefined || action.startsWith('sso_provider');
  return JSON.stringify({
    action,
    actor_id: actorId ?? NOBODY,
    actor_username: byAdministration ? ADMINISTRATION : '',
    log_type: AUDIT_ACTIONS[action],
    ...(Object.keys(traits).length === 0 ? {} : { traits }),
  });
}

/** Whether this account logged in, or verified its second factor, from this address before. */
export async function hasAuditEntry(
  tx: Tx,
  userId: string,
  action: 'login' | 'verification_attempted',
  address: string,
): Promise<boolean> {
  const sql = `select from auth.audit_log_entries
    where payload ->> 'actor_id' = $1 and ip_address = $2 and payload ->> 'action' = $3 limit 1`;
  return (await tx.query(sql, [userId, address, action])).rows.length > 0;
}
