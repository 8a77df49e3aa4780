import { randomInt } from 'node:crypto';
import type { AdminUserAttributes, AuthError, SupabaseClient, User } from '@supabase/supabase-js';
import type { Role } from '#contract/roles.ts';
import { CodedError } from '#lib/error-code.ts';

/**
 * Accounts and their roles, through the official client with the service key: the same on the embedded and on a hosted
 * backend (D14). Every function throws AccountError.
 */
export class AccountError extends CodedError {}

export type Account = Readonly<{
  email: string;
  role: string | undefined;
  lastSignIn: string | undefined;
  banned: boolean;
}>;

const PAGE = 1_000;

export async function countAccounts(supabase: SupabaseClient): Promise<number> {
  const { data, error } = await supabase.auth.admin.listUsers({ page: 1, perPage: 1 });
  if (error !== null) throw toAccountError(error);
  return data.total;
}

/** A backend with another project's folder has no table of roles. */
export async function knowsRoles(supabase: SupabaseClient): Promise<boolean> {
  const { error } = await supabase.from('user_roles').select('user_id').limit(1);
  if (error !== null && error.code !== 'PGRST205') throw toAccountError(error);
  return error === null;
}

/** Creates a confirmed account with its role, or none where the role cannot be stored. */
export async function addAccount(
  supabase: SupabaseClient,
  account: Readonly<{ email: string; role: Role; password: string }>,
): Promise<void> {
  const { email, role, password } = account;
  const { data, error } = await supabase.auth.admin.createUser({ email, password, email_confirm: true });
  if (error !== null) throw toAccountError(error);
  try {
    await storeRole(supabase, data.user.id, role);
  } catch (cause) {
    await supabase.auth.admin.deleteUser(data.user.id);
    throw cause;
  }
}

export async function setRole(supabase: SupabaseClient, email: string, role: Role): Promise<void> {
  await storeRole(supabase, (await findUser(supabase, email)).id, role);
}

/** A new password ends every session of the account. An invitation that was not accepted yet counts as accepted. */
export async function changeLogin(supabase: SupabaseClient, email: string, change: AdminUserAttributes): Promise<void> {
  const { id } = await findUser(supabase, email);
  const { error } = await supabase.auth.admin.updateUserById(id, { ...change, email_confirm: true });
  if (error !== null) throw toAccountError(error);
}

export async function removeAccount(supabase: SupabaseClient, email: string): Promise<void> {
  const { id } = await findUser(supabase, email);
  const { error } = await supabase.auth.admin.deleteUser(id);
  if (error !== null) throw toAccountError(error);
}

/** For a lost device. Returns the number of removed factors. */
export async function removeFactors(supabase: SupabaseClient, email: string): Promise<number> {
  const { id: userId } = await findUser(supabase, email);
  const { data, error } = await supabase.auth.admin.mfa.listFactors({ userId });
  if (error !== null) throw toAccountError(error);
  for (const { id } of data.factors) {
    const removed = await supabase.auth.admin.mfa.deleteFactor({ id, userId });
    if (removed.error !== null) throw toAccountError(removed.error);
  }
  return data.factors.length;
}

/** Sorted by address. */
export async function listAccounts(supabase: SupabaseClient): Promise<Account[]> {
  const [users, roles] = [await listAllUsers(supabase, toAccountError), await listAllRoles(supabase)];
  return users
    .map((user) => ({
      email: user.email ?? '',
      role: roles.get(user.id),
      lastSignIn: user.last_sign_in_at,
      banned: isBanned(user),
    }))
    .toSorted((a, b) => a.email.localeCompare(b.email));
}

async function findUser(supabase: SupabaseClient, email: string): Promise<User> {
  const wanted = email.toLowerCase();
  const user = (await listAllUsers(supabase, toAccountError)).find((candidate) => candidate.email === wanted);
  if (user === undefined) throw new AccountError('not_found', `Es gibt kein Konto mit der Adresse ${email}.`);
  return user;
}

/** Throws what `toError` makes of a refusal. */
export async function listAllUsers(supabase: SupabaseClient, toError: (error: AuthError) => Error): Promise<User[]> {
  const all: User[] = [];
  for (let page = 1; ; page += 1) {
    const { data, error } = await supabase.auth.admin.listUsers({ page, perPage: PAGE });
    if (error !== null) throw toError(error);
    all.push(...data.users);
    // A server may return smaller pages than requested.
    if (data.users.length === 0 || all.length >= data.total) return all.filter((user) => !isDeleted(user));
  }
}

/** The admin API also answers accounts that another client deleted softly; they have neither address nor login. */
export function isDeleted({ deleted_at: at }: User): boolean {
  return at !== undefined;
}

export function isBanned({ banned_until: until }: User): boolean {
  return until !== undefined && Date.parse(until) > Date.now();
}

async function listAllRoles(supabase: SupabaseClient): Promise<Map<string, string>> {
  const roles = new Map<string, string>();
  for (;;) {
    const from = roles.size;
    const { data, error } = await supabase
      .from('user_roles')
      .select('user_id, role')
      .order('user_id')
      .range(from, from + PAGE - 1);
    if (error !== null) throw toAccountError(error);
    for (const row of data) roles.set(String(row.user_id), String(row.role));
    if (roles.size === from) return roles;
  }
}

async function storeRole(supabase: SupabaseClient, userId: string, role: Role): Promise<void> {
  const { error } = await supabase.from('user_roles').upsert({ user_id: userId, role });
  if (error !== null) throw toAccountError(error);
}

const KNOWN: Readonly<Record<string, string>> = {
  email_exists: 'Für diese E-Mail-Adresse gibt es schon ein Konto.',
  validation_failed: 'Adresse oder Passwort wird nicht angenommen.',
  weak_password: 'Das Passwort ist zu schwach.',
  not_admin: 'Der Schlüssel darf keine Konten verwalten.',
};

function toAccountError(error: Readonly<{ message: string; code?: string | undefined }>): AccountError {
  const code = error.code ?? 'unknown';
  const known = KNOWN[code];
  const message =
    known === undefined ? `Die Datenbank oder der Server meldet: ${error.message}` : `${known} (${error.message})`;
  return new AccountError(code, message, { cause: error });
}

// Without characters that look alike in print.
const ALPHABET = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const GROUPS = 4;
const GROUP_LENGTH = 4;

/** A random password for a person to read and type: about 90 bits, with letters of both cases, digits and a dash. */
export function generatePassword(): string {
  for (;;) {
    const groups = Array.from({ length: GROUPS }, pickGroup);
    const password = groups.join('-');
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /\d/.test(password)) return password;
  }
}

function pickGroup(): string {
  return Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
