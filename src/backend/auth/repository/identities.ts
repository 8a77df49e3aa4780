import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import { findRow, insertRow, updateRow } from './rows.ts';
import type { Metadata } from './users.ts';

export type IdentityRow = Readonly<{
  id: string;
  provider_id: string;
  user_id: string;
  identity_data: Metadata;
  provider: string;
  last_sign_in_at: Date | null;
  created_at: Date;
  updated_at: Date;
  email: string | null;
}>;

export const IDENTITY_COLUMNS =
  'id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, email';

export const IDENTITY_ORDER = 'order by created_at, provider, id';

export async function findIdentities(tx: Tx, userIds: readonly string[]): Promise<IdentityRow[]> {
  const sql = `select ${IDENTITY_COLUMNS} from auth.identities where user_id = any($1::uuid[]) ${IDENTITY_ORDER}`;
  return (await tx.query<IdentityRow>(sql, [userIds])).rows;
}

type IdentityFacts = Readonly<{ provider: 'email' | 'phone'; userId: string; data: Metadata; at: Date }>;

/** The identity of an address or number uses the user's id as the provider's id. */
export async function upsertIdentity(tx: Tx, { provider, userId, data, at }: IdentityFacts): Promise<void> {
  const all = { sub: userId, email_verified: false, phone_verified: false, ...data };
  await tx.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at,
      updated_at)
     values ($1::text, $1::uuid, $2, $3, $4, $4, $4)
     on conflict (provider_id, provider) do update
     set identity_data = auth.identities.identity_data || $5::jsonb, updated_at = $4`,
    [userId, JSON.stringify(all), provider, at, JSON.stringify(data)],
  );
}

/** Marks the address as verified on every identity that has it. */
export async function confirmIdentities(tx: Tx, userId: string, email: string, at: Date): Promise<void> {
  await tx.query(
    `update auth.identities set identity_data = identity_data || '{"email_verified": true}', updated_at = $3
     where user_id = $1 and email = $2`,
    [userId, email, at],
  );
}

export async function touchIdentity(tx: Tx, userId: string, provider: string, at: Date): Promise<void> {
  await tx.query(
    'update auth.identities set last_sign_in_at = $3, updated_at = $3 where user_id = $1 and provider = $2',
    [userId, provider, at],
  );
}

export async function deleteIdentities(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from auth.identities where user_id = $1', [userId]);
}

type ExternalIdentity = Readonly<{
  provider: string;
  /** The provider's id of the account. */
  subject: string;
  userId: string;
  data: Metadata;
  at: Date;
}>;

/** Returns the new id. */
export async function insertIdentity(tx: Tx, identity: ExternalIdentity): Promise<string> {
  const { provider, subject, userId, data, at } = identity;
  const id = randomUUID();
  const times = { last_sign_in_at: at, created_at: at, updated_at: at };
  const row = { id, provider_id: subject, user_id: userId, identity_data: data, provider, ...times };
  await insertRow(tx, 'auth.identities', row);
  return id;
}

export function findIdentity(tx: Tx, provider: string, subject: string): Promise<IdentityRow | undefined> {
  const sql = `select ${IDENTITY_COLUMNS} from auth.identities where provider = $1 and provider_id = $2`;
  return findRow(tx, sql, [provider, subject]);
}

export async function updateIdentity(tx: Tx, id: string, data: Metadata, at: Date): Promise<void> {
  await updateRow(tx, 'auth.identities', id, { identity_data: data, last_sign_in_at: at, updated_at: at });
}

export async function deleteIdentity(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.identities where id = $1', [id]);
}

/** Deletes all other identities of the user. */
export async function keepOnlyIdentity(tx: Tx, userId: string, provider: string, subject: string): Promise<void> {
  await tx.query('delete from auth.identities where user_id = $1 and not (provider = $2 and provider_id = $3)', [
    userId,
    provider,
    subject,
  ]);
}

/**
 * Finds users by address within one linking domain: each company sign-on (`sso:…`) is one, all other providers together
 * are one.
 */
export async function findUserIdsByEmails(tx: Tx, emails: readonly string[], provider: string): Promise<string[]> {
  const sql = `select user_id as id from auth.identities
      where email = any($1) and case when $2 like 'sso:%' then provider = $2 else provider not like 'sso:%' end
    union select id from auth.users
      where lower(email) = any($1) and is_sso_user = false and deleted_at is null and $2 not like 'sso:%'`;
  return (await tx.query<{ id: string }>(sql, [emails, provider])).rows.map(({ id }) => id);
}

/** Concurrent sign-ins with the same provider account wait until the transaction ends. */
export async function lockSubject(tx: Tx, provider: string, subject: string): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`${provider}\n${subject}`]);
}
