import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

export type SessionRow = Readonly<{
  id: string;
  user_id: string;
  created_at: Date;
  refreshed_at: Date | null;
  not_after: Date | null;
  aal: string | null;
}>;

/** The client of a session. */
export type Device = Readonly<{ address: string | undefined; userAgent: string | undefined }>;

const COLUMNS = 'id, user_id, created_at, refreshed_at, not_after, aal';

export async function insertSession(tx: Tx, userId: string, device: Device, at: Date): Promise<SessionRow> {
  const session = {
    id: randomUUID(),
    user_id: userId,
    created_at: at,
    refreshed_at: null,
    not_after: null,
    aal: 'aal1',
  };
  await tx.query(
    `insert into auth.sessions (id, user_id, created_at, updated_at, aal, user_agent, ip)
      values ($1, $2, $3, $3, $4, $5, $6)`,
    [session.id, userId, at, session.aal, device.userAgent, device.address],
  );
  return session;
}

export async function findSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  return (await tx.query<SessionRow>(`select ${COLUMNS} from auth.sessions where id = $1`, [id])).rows[0];
}

export async function findSessions(tx: Tx, userId: string): Promise<SessionRow[]> {
  return (await tx.query<SessionRow>(`select ${COLUMNS} from auth.sessions where user_id = $1`, [userId])).rows;
}

/** Concurrent refreshes of the session wait until the transaction ends. */
export async function lockSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  return (await tx.query<SessionRow>(`select ${COLUMNS} from auth.sessions where id = $1 for update`, [id])).rows[0];
}

/** The wait is set in the statement that waits, because each statement has its price. */
const LOCK_OF_TOKEN = `with patience as materialized (select set_config('lock_timeout', '5s', true))
  select ${COLUMNS} from auth.sessions
  where id = (select session_id from patience, auth.refresh_tokens where token = $1) for update`;

/** Like `lockSession`, for the session of a refresh token; waits five seconds at most, then throws 55P03. */
export async function lockSessionOfToken(tx: Tx, hash: string): Promise<SessionRow | undefined> {
  return (await tx.query<SessionRow>(LOCK_OF_TOKEN, [hash])).rows[0];
}

/** The last statement of a refresh that changes no token. */
export async function touchSession(tx: Tx, id: string, device: Device, at: Date): Promise<void> {
  await tx.query(
    'update auth.sessions set refreshed_at = $2, updated_at = $2, user_agent = $3, ip = $4 where id = $1',
    [id, at, device.userAgent, device.address],
    { endsTransaction: true },
  );
}

export async function endSessionAt(tx: Tx, id: string, notAfter: Date): Promise<void> {
  await tx.query('update auth.sessions set not_after = $2 where id = $1', [id, notAfter]);
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.sessions where id = $1', [id]);
}

/** Deletes the user's sessions except one. */
export async function deleteUserSessions(tx: Tx, userId: string, except: string | undefined): Promise<void> {
  await tx.query('delete from auth.sessions where user_id = $1 and id is distinct from $2', [userId, except]);
}

export async function raiseSessionToAal2(tx: Tx, id: string, factorId: string, at: Date): Promise<void> {
  await tx.query(`update auth.sessions set aal = 'aal2', factor_id = $2, updated_at = $3 where id = $1`, [
    id,
    factorId,
    at,
  ]);
}

/** Deletes the user's sessions without a second factor. */
export async function deleteAal1Sessions(tx: Tx, userId: string): Promise<void> {
  await tx.query(`delete from auth.sessions where user_id = $1 and (aal is null or aal < 'aal2')`, [userId]);
}

/** `amr` of the access token: the login methods of the session, newest first. */
export type Amr = readonly Readonly<{ method: string; timestamp: number; provider?: string }>[];

export async function addAmr(tx: Tx, sessionId: string, method: string, at: Date): Promise<void> {
  await tx.query(
    `insert into auth.mfa_amr_claims (session_id, authentication_method, created_at, updated_at) values ($1, $2, $3, $3)
     on conflict (session_id, authentication_method) do update set updated_at = excluded.updated_at`,
    [sessionId, method, at],
  );
}

export async function findAmr(tx: Tx, sessionId: string): Promise<Amr> {
  const result = await tx.query<{ method: string; at: Date }>(
    `select authentication_method as method, updated_at as at from auth.mfa_amr_claims
     where session_id = $1 order by updated_at desc`,
    [sessionId],
  );
  return result.rows.map(({ method, at }) => ({ method, timestamp: Math.floor(at.getTime() / 1_000) }));
}

/** `hash` and `parent` are hashes (sessions/token-chain.ts). */
type NewRefreshToken = Readonly<{ hash: string; parent: string | null; userId: string; sessionId: string }>;

export async function insertRefreshToken(tx: Tx, token: NewRefreshToken, at: Date): Promise<void> {
  await tx.query(
    `insert into auth.refresh_tokens (token, parent, user_id, session_id, revoked, created_at, updated_at)
     values ($1, $2, $3, $4, false, $5, $5)`,
    [token.hash, token.parent, token.userId, token.sessionId, at],
  );
}

/** Revokes every active token of the session. */
export async function revokeFamily(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.query(
    `update auth.refresh_tokens set revoked = true, updated_at = $2
      where session_id = $1 and not revoked`,
    [sessionId, at],
  );
}
