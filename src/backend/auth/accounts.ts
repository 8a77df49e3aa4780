import { randomUUID } from 'node:crypto';
import { getTakenConstraint, type Tx } from '../database/index.ts';
import { AuthError, ERRORS } from './errors.ts';
import { findIdentities, upsertIdentity } from './repository/identities.ts';
import { insertUser, updateUser, type Metadata, type UserChange, type UserRow } from './repository/users.ts';

export const AUDIENCE = 'authenticated';
export const ROLE = 'authenticated';

type NewAccount = Readonly<{
  id?: string;
  email?: string;
  phone?: string;
  passwordHash?: string;
  role?: string;
  data?: Metadata;
  /** Data of a sign-up, which its identity keeps as well. */
  identityData?: Metadata;
  appMetadata?: Metadata;
  invited?: boolean;
  anonymous?: boolean;
  at: Date;
}>;

/** Creates a user with its identities. Throws AuthError where address, phone or id is taken. */
export async function createAccount(tx: Tx, account: NewAccount): Promise<UserRow> {
  const { at, email, phone } = account;
  const copied = copyForIdentity(account.identityData ?? {});
  const providers = [email === undefined ? [] : ['email'], phone === undefined ? [] : ['phone']].flat();
  const provider = providers.length === 0 ? {} : { provider: providers[0], providers };
  const values: UserChange = {
    aud: AUDIENCE,
    role: account.role ?? ROLE,
    email: email ?? null,
    phone: phone ?? null,
    encrypted_password: account.passwordHash ?? null,
    raw_app_meta_data: { ...provider, ...omitNulls(account.appMetadata ?? {}) },
    raw_user_meta_data: omitNulls(account.data ?? {}),
    invited_at: account.invited === true ? at : null,
    is_anonymous: account.anonymous ?? false,
  };
  const user = await addUser(tx, account.id ?? randomUUID(), values, at);
  if (email !== undefined)
    await upsertIdentity(tx, { provider: 'email', userId: user.id, data: { ...copied, email }, at });
  if (phone !== undefined)
    await upsertIdentity(tx, { provider: 'phone', userId: user.id, data: { ...copied, phone }, at });
  return user;
}

const CLAIMS = new Set(['sub', 'email', 'email_verified', 'phone', 'phone_verified']);

/** Leaves out what identifies the account: the address of an identity counts as its own, and is not for callers. */
function copyForIdentity(data: Metadata): Metadata {
  return Object.fromEntries(Object.entries(data).filter(([name]) => !CLAIMS.has(name)));
}

/** Throws AuthError where address, phone or id is taken. */
export function addUser(tx: Tx, id: string, values: UserChange, at: Date): Promise<UserRow> {
  return insertUser(tx, id, values, at).catch(throwDuplicate);
}

/** Records that the address is confirmed. As upstream, identities learn it only where a mail was answered. */
export function confirmEmail(tx: Tx, user: UserRow, at: Date): Promise<UserRow> {
  const change = {
    email_confirmed_at: user.email_confirmed_at ?? at,
    raw_user_meta_data: { ...user.raw_user_meta_data, email_verified: true },
  };
  return updateUser(tx, user.id, change, at);
}

export function confirmPhone(tx: Tx, user: UserRow, at: Date): Promise<UserRow> {
  return updateUser(tx, user.id, { phone_confirmed_at: user.phone_confirmed_at ?? at }, at);
}

/**
 * Writes `app_metadata.providers`: the providers of the account's identities, oldest first, and the first as
 * `provider`.
 */
export async function storeProviders(tx: Tx, user: UserRow, at: Date): Promise<UserRow> {
  const identities = await findIdentities(tx, [user.id]);
  const providers = [...new Set(identities.map(({ provider }) => provider))];
  if (providers[0] === undefined) return user;
  const known = { ...user.raw_app_meta_data, provider: providers[0], providers };
  return updateUser(tx, user.id, { raw_app_meta_data: known }, at);
}

/** Throws AuthError where the address or the number belongs to another account. */
export function changeAccount(tx: Tx, id: string, change: UserChange, at: Date): Promise<UserRow> {
  return updateUser(tx, id, change, at).catch(throwDuplicate);
}

/** New members replace old ones; null removes a member. */
export function mergeMetadata(old: Metadata | null, change: Metadata): Metadata {
  return omitNulls({ ...old, ...change });
}

function omitNulls(data: Metadata): Metadata {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}

function throwDuplicate(error: unknown): never {
  const constraint = getTakenConstraint(error);
  if (constraint === undefined) throw error;
  if (constraint.includes('email')) throw ERRORS.emailExists();
  if (constraint.includes('phone')) throw ERRORS.phoneExists();
  throw new AuthError(422, 'user_already_exists', 'A user with this id already exists');
}
