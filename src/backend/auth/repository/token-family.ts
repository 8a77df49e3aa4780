import type { Tx } from '../../database/index.ts';
import { buildAuditInsert } from './audit.ts';
import { IDENTITY_COLUMNS, IDENTITY_ORDER, type IdentityRow } from './identities.ts';
import type { Amr, Device } from './sessions.ts';
import { USER_COLUMNS, type UserRow } from './users.ts';

/** A refresh token that a client presents; `token` is a hash (sessions/token-chain.ts). */
export type PresentedToken = Readonly<{ token: string; revoked: boolean; updated_at: Date }>;

/** The token of a session that is not revoked; both are hashes. */
export type ActiveToken = Readonly<{ token: string; parent: string | null }>;

/** Everything that a refresh reads of a token's session. */
export type TokenFamily = Readonly<{
  presented: PresentedToken;
  active: ActiveToken | undefined;
  user: UserRow;
  identities: readonly IdentityRow[];
  logins: Amr;
}>;

type FamilyRow = UserRow &
  Readonly<{
    presented_revoked: boolean;
    presented_updated_at: Date;
    active: ActiveToken | null;
    identities: readonly StoredIdentity[];
    logins: Amr;
  }>;

type Moments = 'last_sign_in_at' | 'created_at' | 'updated_at';
type StoredIdentity = Omit<IdentityRow, Moments> &
  Readonly<{ last_sign_in_at: string | null; created_at: string; updated_at: string }>;

/** One statement, because each one costs more than what it reads. */
const FAMILY = `select ${USER_COLUMNS},
    presented_revoked, presented_updated_at,
    (
      select json_build_object('token', token, 'parent', parent) from auth.refresh_tokens
      where session_id = presented.session_id and not coalesce(revoked, false) order by id desc limit 1
    ) as active,
    (
      select coalesce(json_agg(i), '[]') from (
        select ${IDENTITY_COLUMNS} from auth.identities where user_id = users.id ${IDENTITY_ORDER}
      ) as i
    ) as identities,
    (
      select coalesce(json_agg(json_build_object('method', authentication_method,
        'timestamp', floor(extract(epoch from updated_at))) order by updated_at desc), '[]')
      from auth.mfa_amr_claims where session_id = presented.session_id
    ) as logins
  from (
    select coalesce(revoked, false) as presented_revoked, updated_at as presented_updated_at, session_id,
      (select user_id from auth.sessions where id = session_id) as user_id
    from auth.refresh_tokens where token = $1
  ) as presented
  join auth.users on users.id = presented.user_id
  where users.deleted_at is null`;

/** The family of the refresh token with this hash; undefined without a token, a session or a user. */
export async function findTokenFamily(tx: Tx, hash: string): Promise<TokenFamily | undefined> {
  const row = (await tx.query<FamilyRow>(FAMILY, [hash])).rows[0];
  if (row === undefined) return undefined;
  const { presented_revoked: revoked, presented_updated_at: updated_at, active, identities, logins, ...user } = row;
  return {
    presented: { token: hash, revoked, updated_at },
    active: active ?? undefined,
    user,
    identities: identities.map(readIdentity),
    logins,
  };
}

function readIdentity(stored: StoredIdentity): IdentityRow {
  return {
    ...stored,
    last_sign_in_at: stored.last_sign_in_at === null ? null : new Date(stored.last_sign_in_at),
    created_at: new Date(stored.created_at),
    updated_at: new Date(stored.updated_at),
  };
}

type Rotation = Readonly<{
  sessionId: string;
  userId: string;
  /** Hashes of the presented token and of its child. */
  parent: string;
  child: string;
  device: Device;
  at: Date;
}>;

/** The last statement of a refresh: replaces the active token by its child, notes the session's use, and logs it. */
export async function rotateToken(tx: Tx, { sessionId, userId, parent, child, device, at }: Rotation): Promise<void> {
  const own = [sessionId, at, child, parent, userId, device.userAgent, device.address];
  const entry = { action: 'token_refreshed', actorId: userId, address: device.address, at } as const;
  const log = buildAuditInsert(entry, own.length + 1);
  const sql = `with revoked as (
      update auth.refresh_tokens set revoked = true, updated_at = $2
      where session_id = $1 and not coalesce(revoked, false)
    ), child as (
      insert into auth.refresh_tokens (token, parent, user_id, session_id, revoked, created_at, updated_at)
      values ($3, $4, $5, $1, false, $2, $2)
    ), logged as (${log.sql})
    update auth.sessions set refreshed_at = $2, updated_at = $2, user_agent = $6, ip = $7 where id = $1`;
  await tx.query(sql, [...own, ...log.params], { last: true });
}
