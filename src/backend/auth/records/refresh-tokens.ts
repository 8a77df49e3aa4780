import type { Tx } from '../../database/index.ts';

/** `token` and `parent` are hashes (sessions/token-chain.ts). */
export type RefreshTokenRow = Readonly<{
  id: string;
  token: string;
  parent: string | null;
  revoked: boolean;
  session_id: string | null;
  updated_at: Date;
}>;

const COLUMNS = 'id, token, parent, coalesce(revoked, false) as revoked, session_id, updated_at';

export async function findRefreshToken(tx: Tx, hash: string): Promise<RefreshTokenRow | undefined> {
  return (await tx.query<RefreshTokenRow>(`select ${COLUMNS} from auth.refresh_tokens where token = $1`, [hash]))
    .rows[0];
}

export async function activeTokenOf(tx: Tx, sessionId: string): Promise<RefreshTokenRow | undefined> {
  const sql = `select ${COLUMNS} from auth.refresh_tokens where session_id = $1 and not coalesce(revoked, false) order by id desc limit 1`;
  return (await tx.query<RefreshTokenRow>(sql, [sessionId])).rows[0];
}

export type NewRefreshToken = Readonly<{ hash: string; parent: string | null; userId: string; sessionId: string }>;

export async function insertRefreshToken(tx: Tx, token: NewRefreshToken, at: Date): Promise<void> {
  await tx.query(
    `insert into auth.refresh_tokens (token, parent, user_id, session_id, revoked, created_at, updated_at)
     values ($1, $2, $3, $4, false, $5, $5)`,
    [token.hash, token.parent, token.userId, token.sessionId, at],
  );
}

/** Every token of the session that is not revoked yet. */
export async function revokeFamily(tx: Tx, sessionId: string, at: Date): Promise<void> {
  await tx.query(
    'update auth.refresh_tokens set revoked = true, updated_at = $2 where session_id = $1 and not coalesce(revoked, false)',
    [sessionId, at],
  );
}
