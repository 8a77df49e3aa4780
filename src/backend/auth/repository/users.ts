import type { Tx } from '../../database/index.ts';
import { buildInsert, buildUpdate, findRow, type Query } from './rows.ts';

export type Metadata = Readonly<Record<string, unknown>>;

/** A row of auth.users as far as this service reads it. */
export type UserRow = Readonly<{
  id: string;
  aud: string | null;
  role: string | null;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  email_change: string | null;
  email_change_sent_at: Date | null;
  email_change_confirm_status: number | null;
  last_sign_in_at: Date | null;
  raw_app_meta_data: Metadata | null;
  raw_user_meta_data: Metadata | null;
  created_at: Date;
  updated_at: Date;
  phone: string | null;
  phone_confirmed_at: Date | null;
  phone_change: string | null;
  phone_change_sent_at: Date | null;
  confirmed_at: Date | null;
  banned_until: Date | null;
  reauthentication_sent_at: Date | null;
  is_sso_user: boolean;
  deleted_at: Date | null;
  is_anonymous: boolean;
  /** In the order in which they were set up. */
  factors: readonly FactorSummary[];
}>;

/** The public data of a second factor. */
export type FactorSummary = Readonly<{
  id: string;
  friendly_name: string | null;
  factor_type: string;
  status: 'unverified' | 'verified';
  phone: string | null;
  /** ISO 8601, as the next two. */
  created_at: string;
  updated_at: string;
  last_challenged_at: string | null;
}>;

/** Of `auth.users`, under this name. */
export const USER_COLUMNS = `id, aud, role, email, encrypted_password, email_confirmed_at, invited_at, confirmation_sent_at,
  recovery_sent_at, email_change, email_change_sent_at, email_change_confirm_status, last_sign_in_at, raw_app_meta_data,
  raw_user_meta_data, created_at, updated_at, phone, phone_confirmed_at, phone_change, phone_change_sent_at,
  confirmed_at, banned_until, reauthentication_sent_at, is_sso_user, deleted_at, is_anonymous,
  (
    select coalesce(jsonb_agg(to_jsonb(f) order by f.created_at, f.id), '[]')
    from (
      select id, friendly_name, factor_type, status, phone, created_at, updated_at, last_challenged_at
      from auth.mfa_factors where user_id = users.id
    ) as f
  ) as factors`;

/** Columns that may be set. The names become SQL, so the type is the allow-list. */
export type UserChange = Partial<Omit<UserRow, 'id' | 'confirmed_at' | 'created_at' | 'updated_at' | 'factors'>>;

/** Finds a user who is not deleted. */
export async function findUserById(tx: Tx, id: string): Promise<UserRow | undefined> {
  const user = await findAnyUser(tx, id);
  return user?.deleted_at === null ? user : undefined;
}

/** Finds a user who is not deleted and locks the row until the transaction ends. */
export function lockUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return findRow(tx, `select ${USER_COLUMNS} from auth.users where id = $1 and deleted_at is null for update`, [id]);
}

/** Also finds a user who was deleted softly, for the administration only: as upstream, it sees those, too. */
export function findAnyUser(tx: Tx, id: string): Promise<UserRow | undefined> {
  return findRow(tx, `select ${USER_COLUMNS} from auth.users where id = $1`, [id]);
}

/** `email` in lower case. */
export function findUserByEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  const sql = `select ${USER_COLUMNS} from auth.users
    where lower(email) = $1 and is_sso_user = false and deleted_at is null limit 1`;
  return findRow(tx, sql, [email]);
}

/** Finds the account with this address, also on one of its identities; company sign-on is separate. */
export function findOwnerOfEmail(tx: Tx, email: string): Promise<UserRow | undefined> {
  const sql = `select ${USER_COLUMNS} from auth.users where deleted_at is null and (
      (lower(email) = $1 and is_sso_user = false)
      or id in (select user_id from auth.identities where email = $1 and provider not like 'sso:%'))
    order by (lower(email) = $1) is true desc limit 1`;
  return findRow(tx, sql, [email]);
}

export function findUserByPhone(tx: Tx, phone: string): Promise<UserRow | undefined> {
  return findRow(tx, `select ${USER_COLUMNS} from auth.users where phone = $1 and deleted_at is null limit 1`, [phone]);
}

export function findUserByPhoneChange(tx: Tx, phone: string): Promise<UserRow | undefined> {
  const sql = `select ${USER_COLUMNS} from auth.users where phone_change = $1 and deleted_at is null limit 1`;
  return findRow(tx, sql, [phone]);
}

export async function isPhoneTaken(tx: Tx, phone: string): Promise<boolean> {
  return (await tx.query('select from auth.users where phone = $1', [phone])).rows.length > 0;
}

export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Rejects with the database's unique violation where the address is taken. */
export function insertUser(tx: Tx, id: string, values: UserChange, at: Date): Promise<UserRow> {
  const all = { id, instance_id: NIL_UUID, created_at: at, updated_at: at, ...values };
  return returnUser(tx, buildInsert('auth.users', all));
}

export function updateUser(tx: Tx, id: string, change: UserChange, at: Date): Promise<UserRow> {
  return returnUser(tx, buildUpdate('auth.users', id, { ...change, updated_at: at }));
}

export async function deleteUser(tx: Tx, id: string): Promise<void> {
  await tx.query('delete from auth.users where id = $1', [id]);
}

type UserPage = Readonly<{ filter: string; order: string; limit: number; offset: number }>;

/** Lists softly deleted users, too. `order` is SQL of ours; `filter` is text that address or full name contain. */
export async function listUsers(tx: Tx, page: UserPage): Promise<{ users: UserRow[]; total: number }> {
  const pattern = `%${page.filter.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const where = `($1 = '%%' or email ilike $1 or raw_user_meta_data ->> 'full_name' ilike $1)`;
  const count = await tx.query<{ total: string }>(`select count(*) as total from auth.users where ${where}`, [pattern]);
  const sql = `select ${USER_COLUMNS} from auth.users where ${where} order by ${page.order} limit $2 offset $3`;
  const users = await tx.query<UserRow>(sql, [pattern, page.limit, page.offset]);
  return { users: users.rows, total: Number(count.rows[0]?.total ?? 0) };
}

async function returnUser(tx: Tx, [sql, params]: Query): Promise<UserRow> {
  const user = await findRow<UserRow>(tx, `${sql} returning ${USER_COLUMNS}`, params);
  if (user === undefined) throw new Error('the user does not exist');
  return user;
}
