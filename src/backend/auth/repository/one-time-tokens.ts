import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';

export type TokenKind =
  | 'confirmation_token'
  | 'recovery_token'
  | 'reauthentication_token'
  | 'email_change_token_new'
  | 'email_change_token_current'
  | 'phone_change_token';

export type OneTimeTokenRow = Readonly<{
  user_id: string;
  token_type: TokenKind;
  /** Address or phone number the code was sent to. */
  relates_to: string;
  created_at: Date;
}>;

type NewToken = Readonly<{ userId: string; kind: TokenKind; hash: string; relatesTo: string; at: Date }>;

/** Replaces the user's token of the same kind. The caller has locked the account. */
export async function upsertToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.query(
    `insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $6)
     on conflict (user_id, token_type) do update
     set token_hash = excluded.token_hash, relates_to = excluded.relates_to, created_at = excluded.created_at,
         updated_at = excluded.updated_at`,
    [randomUUID(), token.userId, token.kind, token.hash, token.relatesTo, token.at],
  );
}

const SHOWN = 'token_hash = any($1::text[]) and token_type::text = any($2::text[])';

/**
 * Locks a token of one of the kinds until the transaction ends, so that it is used once. Its account comes first, as in
 * every other transaction that locks both.
 */
export async function lockToken(
  tx: Tx,
  hashes: readonly string[],
  kinds: readonly TokenKind[],
): Promise<OneTimeTokenRow | undefined> {
  const account = `select from auth.users
    where id in (select user_id from auth.one_time_tokens where ${SHOWN}) for update`;
  const sql = `select user_id, token_type, relates_to, created_at from auth.one_time_tokens where ${SHOWN} for update`;
  const [, found] = await Promise.all([
    tx.query(account, [hashes, kinds]),
    tx.query<OneTimeTokenRow>(sql, [hashes, kinds]),
  ]);
  return found.rows[0];
}

/** Whether a link in a mail still opens something: its token is there, and its account not locked. */
export async function isLinkOpen(tx: Tx, hash: string): Promise<boolean> {
  const sql = `select from auth.one_time_tokens as t join auth.users as u on u.id = t.user_id
    where t.token_hash = $1 and (u.banned_until is null or u.banned_until <= now())`;
  return (await tx.query(sql, [hash])).rows.length > 0;
}

export async function isInvitation(tx: Tx, hash: string): Promise<boolean> {
  const sql = `select from auth.one_time_tokens where token_hash = $1 and token_type = 'confirmation_token'`;
  return (await tx.query(sql, [hash])).rows.length > 0;
}

export async function deleteTokens(tx: Tx, userId: string, kinds?: readonly TokenKind[]): Promise<void> {
  await tx.query(
    'delete from auth.one_time_tokens where user_id = $1 and ($2::text[] is null or token_type::text = any($2))',
    [userId, kinds ?? null],
  );
}
