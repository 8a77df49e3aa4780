import type { AuthError, SupabaseClient, User } from '@supabase/supabase-js';
import { ACCOUNTS_PER_PAGE, type Account, type AccountList } from '#contract/accounts.ts';
import { AccountFailure } from './faults.ts';

const PAGE = 1_000;

export type Search = Readonly<{ search: string; page: number }>;

/**
 * One page of the accounts, in the order of their addresses. The admin API cannot search, so the search is ours.
 * Throws AccountFailure.
 */
export async function listPage(service: SupabaseClient, { search, page }: Search): Promise<AccountList> {
  const wanted = search.trim().toLowerCase();
  const found = (await allUsers(service))
    .filter((user) => (user.email ?? '').includes(wanted))
    .toSorted((a, b) => (a.email ?? '').localeCompare(b.email ?? '', 'de'));
  const last = Math.max(1, Math.ceil(found.length / ACCOUNTS_PER_PAGE));
  const shown = Math.min(page, last);
  const users = found.slice((shown - 1) * ACCOUNTS_PER_PAGE, shown * ACCOUNTS_PER_PAGE);
  const roles = await rolesOf(
    service,
    users.map(({ id }) => id),
  );
  return {
    accounts: users.map((user) => accountOf(user, roles.get(user.id))),
    total: found.length,
    page: shown,
    perPage: ACCOUNTS_PER_PAGE,
  };
}

/** Throws AccountFailure, also where there is no such account. */
export async function readAccount(service: SupabaseClient, id: string): Promise<Account> {
  const { data, error } = await service.auth.admin.getUserById(id);
  if (error !== null) throw failure(error);
  return accountOf(data.user, (await rolesOf(service, [id])).get(id));
}

/** Whether somebody is left who may manage accounts and can sign in. */
export async function hasAdministrator(service: SupabaseClient): Promise<boolean> {
  const { data, error } = await service.from('user_roles').select('user_id').eq('role', 'admin');
  if (error !== null) throw new AccountFailure('backend_failed', { cause: error });
  for (const { user_id } of data) {
    const found = await service.auth.admin.getUserById(String(user_id));
    if (found.error === null && !isLocked(found.data.user)) return true;
  }
  return false;
}

/** The backend's refusal as one of ours. */
export function failure(error: AuthError): AccountFailure {
  const code = error.code ?? '';
  if (code === 'user_not_found' || error.status === 404)
    return new AccountFailure('account_not_found', { cause: error });
  if (code === 'email_exists') return new AccountFailure('email_exists', { cause: error });
  if (code === 'over_email_send_rate_limit') return new AccountFailure('mail_limit', { cause: error });
  if (code === 'validation_failed' || code === 'email_address_invalid') {
    return new AccountFailure('invalid_request', { cause: error });
  }
  return new AccountFailure('backend_failed', { cause: error });
}

async function allUsers(service: SupabaseClient): Promise<User[]> {
  const all: User[] = [];
  for (let page = 1; ; page += 1) {
    const { data, error } = await service.auth.admin.listUsers({ page, perPage: PAGE });
    if (error !== null) throw failure(error);
    all.push(...data.users);
    // A server may hand out smaller pages than asked for.
    if (data.users.length === 0 || all.length >= data.total) return all.filter((user) => user.is_anonymous !== true);
  }
}

async function rolesOf(service: SupabaseClient, ids: readonly string[]): Promise<Map<string, string>> {
  const { data, error } = await service.from('user_roles').select('user_id, role').in('user_id', ids);
  if (error !== null) throw new AccountFailure('backend_failed', { cause: error });
  return new Map(data.map((row) => [String(row.user_id), String(row.role)]));
}

function accountOf(user: User, role: string | undefined): Account {
  return {
    id: user.id,
    email: user.email ?? '',
    role: role ?? null,
    status: statusOf(user),
    createdAt: user.created_at,
    invitedAt: user.invited_at ?? null,
    lastSignInAt: user.last_sign_in_at ?? null,
  };
}

function statusOf(user: User): Account['status'] {
  if (isLocked(user)) return 'locked';
  return user.email_confirmed_at === undefined && user.invited_at !== undefined ? 'invited' : 'active';
}

function isLocked({ banned_until: until }: User): boolean {
  return until !== undefined && Date.parse(until) > Date.now();
}
