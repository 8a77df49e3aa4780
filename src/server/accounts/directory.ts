import type { AuthError, SupabaseClient, User } from '@supabase/supabase-js';
import { ACCOUNTS_PER_PAGE, type Account, type AccountErrorCode, type AccountList } from '#contract/accounts.ts';
import { type Catalogue, errorsOf } from '#http/errors.ts';
import { SHARED_ERRORS } from '../api-errors.ts';
import { isBanned, isDeleted, listAllUsers } from './accounts.ts';

type Search = Readonly<{ search: string; page: number }>;

/**
 * Returns one page of the accounts, sorted by address. The admin API has no search, so all accounts are read.
 * Throws AccountRouteError.
 */
export async function listPage(service: SupabaseClient, { search, page }: Search): Promise<AccountList> {
  const wanted = search.trim().toLowerCase();
  const found = (await listPeople(service))
    .filter((user) => (user.email ?? '').includes(wanted))
    .toSorted((a, b) => (a.email ?? '').localeCompare(b.email ?? '', 'de'));
  const last = Math.max(1, Math.ceil(found.length / ACCOUNTS_PER_PAGE));
  const shown = Math.min(page, last);
  const users = found.slice((shown - 1) * ACCOUNTS_PER_PAGE, shown * ACCOUNTS_PER_PAGE);
  const roles = await readRoles(
    service,
    users.map(({ id }) => id),
  );
  return {
    accounts: users.map((user) => toAccount(user, roles.get(user.id))),
    total: found.length,
    page: shown,
    perPage: ACCOUNTS_PER_PAGE,
  };
}

/** Throws AccountRouteError: account_not_found, backend_failed. */
export async function readAccount(service: SupabaseClient, id: string): Promise<Account> {
  const { data, error } = await service.auth.admin.getUserById(id);
  if (error !== null) throw toRouteError(error);
  if (isDeleted(data.user)) throw new AccountRouteError('account_not_found');
  return toAccount(data.user, (await readRoles(service, [id])).get(id));
}

/** Tells whether an account of this address has a role. Throws AccountRouteError. */
export async function hasRole(service: SupabaseClient, email: string): Promise<boolean> {
  const ids = (await listPeople(service)).filter((user) => user.email === email).map(({ id }) => id);
  return (await readRoles(service, ids)).size > 0;
}

/** Tells whether an administrator is left who can sign in. */
export async function hasAdministrator(service: SupabaseClient): Promise<boolean> {
  // Written as they are, so that it waits for an erasure that takes the role of one at this moment.
  const roles = service.from('user_roles').update({ role: 'admin' }).eq('role', 'admin');
  const { data, error } = await roles.select('user_id');
  if (error !== null) throw new AccountRouteError('backend_failed', { cause: error });
  for (const { user_id } of data) {
    const found = await service.auth.admin.getUserById(String(user_id));
    if (found.error === null && !isBanned(found.data.user) && !isDeleted(found.data.user)) return true;
  }
  return false;
}

const BY_CODE: Readonly<Record<string, AccountErrorCode>> = {
  user_not_found: 'account_not_found',
  email_exists: 'email_exists',
  over_email_send_rate_limit: 'mail_limit',
  validation_failed: 'invalid_request',
  email_address_invalid: 'invalid_request',
};

/** Translates a refusal of the backend. */
export function toRouteError(cause: AuthError): AccountRouteError {
  const code = cause.status === 404 ? 'account_not_found' : BY_CODE[cause.code ?? ''];
  return new AccountRouteError(code ?? 'backend_failed', { cause });
}

async function listPeople(service: SupabaseClient): Promise<User[]> {
  return (await listAllUsers(service, toRouteError)).filter((user) => user.is_anonymous !== true);
}

async function readRoles(service: SupabaseClient, ids: readonly string[]): Promise<Map<string, string>> {
  const { data, error } = await service.from('user_roles').select('user_id, role').in('user_id', ids);
  if (error !== null) throw new AccountRouteError('backend_failed', { cause: error });
  return new Map(data.map((row) => [String(row.user_id), String(row.role)]));
}

function toAccount(user: User, role: string | undefined): Account {
  return {
    id: user.id,
    email: user.email ?? '',
    role: role ?? null,
    status: getStatus(user),
    createdAt: user.created_at,
    invitedAt: user.invited_at ?? null,
    lastSignInAt: user.last_sign_in_at ?? null,
  };
}

function getStatus(user: User): Account['status'] {
  if (isBanned(user)) return 'locked';
  return user.email_confirmed_at === undefined && user.invited_at !== undefined ? 'invited' : 'active';
}

const CATALOGUE: Catalogue<AccountErrorCode> = {
  ...SHARED_ERRORS,
  account_not_found: [404, 'There is no such account'],
  email_exists: [409, 'There is an account with this address already'],
  own_account: [409, 'Nobody can lock, remove or demote the own account'],
  last_admin: [409, 'The last administrator has to stay'],
  already_signed_in: [409, 'The invitation was accepted already'],
  mail_limit: [429, 'Too many mails for now'],
  not_configured: [503, 'No service key is configured'],
};

export class AccountRouteError extends errorsOf(CATALOGUE) {}
