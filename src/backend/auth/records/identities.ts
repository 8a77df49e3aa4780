import type { Tx } from '../../database/index.ts';
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

const COLUMNS = 'id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, email';

export async function identitiesOf(tx: Tx, userIds: readonly string[]): Promise<IdentityRow[]> {
  const sql = `select ${COLUMNS} from auth.identities where user_id = any($1::uuid[]) order by created_at, id`;
  return (await tx.query<IdentityRow>(sql, [userIds])).rows;
}

export type IdentityFacts = Readonly<{ provider: 'email' | 'phone'; userId: string; data: Metadata; at: Date }>;

/** The identity of an address or phone has the user's own id as the provider's id. */
export async function putIdentity(tx: Tx, { provider, userId, data, at }: IdentityFacts): Promise<void> {
  const all = { sub: userId, email_verified: false, phone_verified: false, ...data };
  await tx.query(
    `insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
     values ($1::text, $1::uuid, $2, $3, $4, $4, $4)
     on conflict (provider_id, provider) do update
     set identity_data = auth.identities.identity_data || $5::jsonb, updated_at = $4`,
    [userId, JSON.stringify(all), provider, at, JSON.stringify(data)],
  );
}

/** The address counts as proved on every identity that has it. */
export async function confirmIdentities(tx: Tx, userId: string, email: string, at: Date): Promise<void> {
  await tx.query(
    `update auth.identities set identity_data = identity_data || '{"email_verified": true}', updated_at = $3
     where user_id = $1 and email = $2`,
    [userId, email, at],
  );
}

export async function touchIdentity(tx: Tx, userId: string, provider: string, at: Date): Promise<void> {
  await tx.query('update auth.identities set last_sign_in_at = $3, updated_at = $3 where user_id = $1 and provider = $2', [
    userId, provider, at,
  ]); // prettier-ignore
}

export async function deleteIdentities(tx: Tx, userId: string): Promise<void> {
  await tx.query('delete from auth.identities where user_id = $1', [userId]);
}
