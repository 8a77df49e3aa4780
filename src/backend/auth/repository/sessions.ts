import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import { findRow, insertRow, updateRow } from './rows.ts';

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
  const { userAgent: user_agent, address: ip } = device;
  await insertRow(tx, 'auth.sessions', { ...session, updated_at: at, user_agent, ip });
  return session;
}

export function findSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  return findRow(tx, `select ${COLUMNS} from auth.sessions where id = $1`, [id]);
}

export async function findSessions(tx: Tx, userId: string): Promise<SessionRow[]> {
  return (await tx.query<SessionRow>(`select ${COLUMNS} from auth.sessions where user_id = $1`, [userId])).rows;
}

/** Concurrent refreshes of the session wait until the transaction ends. */
export function lockSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  return findRow(tx, `select ${COLUMNS} from auth.sessions where id = $1 for update`, [id]);
}

/** The wait is set in the statement that waits, because each statement has its price. */
const LOCK_OF_TOKEN = `with patience as materialized (select set_config('lock_timeout', '5s', true))
  select ${COLUMNS} from auth.sessions
  where id = (select session_id from patience, auth.refresh_tokens where token = $1) for update`;

/** Like `lockSession`, for the session of a refresh token; waits five seconds at most, then throws 55P03. */
export function lockSessionOfToken(tx: Tx, hash: string): Promise<SessionRow | undefined> {
  return findRow(tx, LOCK_OF_TOKEN, [hash]);
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
  await updateRow(tx, 'auth.sessions', id, { not_after: notAfter });
}

export async function deleteSession(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.sessions where id = $1', [id]);
}

/** Deletes the user's sessions except one. */
export async function deleteUserSessions(tx: Tx, userId: string, except: string | undefined): Promise<void> {
  await tx.query('delete from auth.sessions where user_id = $1 and id is distinct from $2', [userId, except]);
}

export async function raiseSessionToAal2(tx: Tx, id: string, factorId: string, at: Date): Promise<void> {
  await updateRow(tx, 'auth.sessions', id, { aal: 'aal2', factor_id: factorId, updated_at: at });
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
  const { hash, parent, userId: user_id, sessionId: session_id } = token;
  const row = { token: hash, parent, user_id, session_id, revoked: false, created_at: at, updated_at: at };
  await insertRow(tx, 'auth.refresh_tokens', row);
}

/** Revokes every active token of the session. */
export async function revokeFamily(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.query(
    `update auth.refresh_tokens set revoked = true, updated_at = $2
      where session_id = $1 and not revoked`,
    [sessionId, at],
  );
}
