import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import { buildAuditPayload } from './audit.ts';
import type { Device } from './sessions.ts';
import { OWNER_COLUMNS, readOwner, type OwnerRow } from './token-family.ts';

/** What a session must not be older than, see `getFloors` in sessions/session-limits.ts; undefined: of any age. */
export type SessionFloors = Readonly<{
  created: Date | undefined;
  used: Date | undefined;
  /** Without a second factor, whether its user has one or not. */
  createdAtAal1: Date | undefined;
}>;

type Rotation = Readonly<{
  /** Hashes of the presented token and of its child. */
  parent: string;
  child: string;
  device: Device;
  at: Date;
}>;

/** A token that is not revoked, of a living session and an account that is not banned. */
const IN_ORDER = `not revoked
        and (users.banned_until is null or users.banned_until <= $2)
        and (sessions.not_after is null or sessions.not_after >= $2)
        and ($9::timestamptz is null or sessions.created_at >= $9)
        and ($10::timestamptz is null or coalesce(sessions.refreshed_at, sessions.created_at) >= $10)
        and ($11::timestamptz is null or sessions.aal = 'aal2' or sessions.created_at >= $11)`;

/**
 * Replaces the active token by its child, notes the session's use, logs it, and reads what the answer shows. The lock
 * of the session comes before this statement, so that it sees what others did with the session.
 */
const buildRotation = (condition: string): string => `with presented as (
    select sessions.id as session_id, sessions.user_id, users.is_sso_user as via_sso,
      ${condition} as rotates
    from auth.refresh_tokens
    join auth.sessions on sessions.id = refresh_tokens.session_id
    join auth.users on users.id = sessions.user_id
    where refresh_tokens.token = $1 and users.deleted_at is null
  ), revoked as (
    update auth.refresh_tokens set revoked = true, updated_at = $2
    where session_id = (select session_id from presented where rotates) and not revoked
  ), child as (
    insert into auth.refresh_tokens (token, parent, user_id, session_id, revoked, created_at, updated_at)
    select $3, $1, user_id::text, session_id, false, $2, $2 from presented where rotates
  ), used as (
    update auth.sessions set refreshed_at = $2, updated_at = $2, user_agent = $4, ip = $5
    where id = (select session_id from presented where rotates)
  ), logged as (
    insert into auth.audit_log_entries (id, payload, created_at, ip_address)
    select $6, ($7::jsonb || jsonb_build_object('actor_id', user_id, 'actor_via_sso', via_sso))::json, $2, $8
    from presented where rotates
  )
  select ${OWNER_COLUMNS}, presented.rotates as rotated
  from presented join auth.users on users.id = presented.user_id`;

const ROTATE = buildRotation('true');
const ROTATE_IN_ORDER = buildRotation(IN_ORDER);
const REFRESHED = buildAuditPayload({ action: 'token_refreshed', actorId: undefined });

/**
 * The last statement of a refresh. With `floors` it decides by itself, so that its commit can leave with it: where
 * anything else than a token in order is presented, nothing is changed. Undefined without a token, a session or a user;
 * `rotated`: whether anything was changed.
 */
export async function rotateToken(tx: Tx, rotation: Rotation, floors?: SessionFloors) {
  const { parent, child, device, at } = rotation;
  const change = [parent, at, child, device.userAgent, device.address, randomUUID(), REFRESHED, device.address ?? ''];
  const result = await (floors === undefined
    ? tx.query<RotatedRow>(ROTATE, change, { endsTransaction: true })
    : tx.query<RotatedRow>(ROTATE_IN_ORDER, [...change, floors.created, floors.used, floors.createdAtAal1], {
        endsTransaction: true,
      }));
  const row = result.rows[0];
  if (row === undefined) return undefined;
  const { rotated, ...owner } = row;
  return { ...readOwner(owner), rotated };
}

type RotatedRow = OwnerRow & Readonly<{ rotated: boolean }>;
