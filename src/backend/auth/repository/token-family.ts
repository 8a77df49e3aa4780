import type { Tx } from '../../database/index.ts';
import { IDENTITY_COLUMNS, IDENTITY_ORDER, type IdentityRow } from './identities.ts';
import type { Amr } from './sessions.ts';
import { findRow } from './rows.ts';
import { USER_COLUMNS, type UserRow } from './users.ts';

/** A refresh token that a client presents; `token` is a hash (sessions/token-chain.ts). */
export type PresentedToken = Readonly<{ token: string; revoked: boolean; updated_at: Date }>;

/** The token of a session that is not revoked; both are hashes. */
export type ActiveToken = Readonly<{ token: string; parent: string | null }>;

/** What the answer to a refresh shows besides the session. */
export type Owner = Readonly<{ user: UserRow; identities: readonly IdentityRow[]; logins: Amr }>;

/** Everything that a refresh reads of a token's session. */
export type TokenFamily = Owner & Readonly<{ presented: PresentedToken; active: ActiveToken | undefined }>;

export type OwnerRow = UserRow & Readonly<{ identities: readonly StoredIdentity[]; logins: Amr }>;

type FamilyRow = OwnerRow &
  Readonly<{ presented_revoked: boolean; presented_updated_at: Date; active: ActiveToken | null }>;

type StoredIdentity = Omit<IdentityRow, 'last_sign_in_at' | 'created_at' | 'updated_at'> &
  Readonly<{ last_sign_in_at: string | null; created_at: string; updated_at: string }>;

/** Of `users` and `presented.session_id`. */
export const OWNER_COLUMNS = `${USER_COLUMNS},
    (
      select coalesce(json_agg(i), '[]') from (
        select ${IDENTITY_COLUMNS} from auth.identities where user_id = users.id ${IDENTITY_ORDER}
      ) as i
    ) as identities,
    (
      select coalesce(json_agg(json_build_object('method', authentication_method,
        'timestamp', floor(extract(epoch from updated_at))) order by updated_at desc), '[]')
      from auth.mfa_amr_claims where session_id = presented.session_id
    ) as logins`;

/** One statement, because each one costs more than what it reads. */
const FAMILY = `select ${OWNER_COLUMNS},
    presented_revoked, presented_updated_at,
    (
      select json_build_object('token', token, 'parent', parent) from auth.refresh_tokens
      where session_id = presented.session_id and not revoked order by id desc limit 1
    ) as active
  from (
    select revoked as presented_revoked, updated_at as presented_updated_at, session_id,
      (select user_id from auth.sessions where id = session_id) as user_id
    from auth.refresh_tokens where token = $1
  ) as presented
  join auth.users on users.id = presented.user_id
  where users.deleted_at is null`;

/** The family of the refresh token with this hash; undefined without a token, a session or a user. */
export async function findTokenFamily(tx: Tx, hash: string): Promise<TokenFamily | undefined> {
  const row = await findRow<FamilyRow>(tx, FAMILY, [hash]);
  if (row === undefined) return undefined;
  const { presented_revoked: revoked, presented_updated_at: updated_at, active, ...owner } = row;
  return { presented: { token: hash, revoked, updated_at }, active: active ?? undefined, ...readOwner(owner) };
}

export function readOwner({ identities, logins, ...user }: OwnerRow): Owner {
  return { user, identities: identities.map(readIdentity), logins };
}

function readIdentity(stored: StoredIdentity): IdentityRow {
  return {
    ...stored,
    last_sign_in_at: stored.last_sign_in_at === null ? null : new Date(stored.last_sign_in_at),
    created_at: new Date(stored.created_at),
    updated_at: new Date(stored.updated_at),
  };
}
