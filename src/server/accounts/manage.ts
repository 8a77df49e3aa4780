import type { SupabaseClient } from '@supabase/supabase-js';
import type { Account, AccountAnswer, AccountChange, NewAccount } from '#contract/accounts.ts';
import type { Administrator } from '../administrator.ts';
import { failure, hasAdministrator, readAccount } from './directory.ts';
import { AccountFailure } from './faults.ts';
import { newPassword } from './passwords.ts';

/** As long as the admin API can count: about a hundred years. */
const FOR_GOOD = '876000h';

/** Throws AccountFailure. `invitedTo` is where the link in the invitation leads. */
export async function makeAccount(
  service: SupabaseClient,
  { email, role, by }: NewAccount,
  invitedTo: string,
): Promise<AccountAnswer> {
  const password = by === 'password' ? newPassword() : undefined;
  const { data, error } =
    password === undefined
      ? await service.auth.admin.inviteUserByEmail(email, { redirectTo: invitedTo })
      : await service.auth.admin.createUser({ email, password, email_confirm: true });
  if (error !== null) throw failure(error);
  const { id } = data.user;
  try {
    await storeRole(service, id, role);
  } catch (cause) {
    await service.auth.admin.deleteUser(id);
    throw cause;
  }
  return { account: await readAccount(service, id), ...(password === undefined ? {} : { password }) };
}

/** Throws AccountFailure. */
export async function changeAccount(
  service: SupabaseClient,
  admin: Administrator,
  id: string,
  change: AccountChange,
): Promise<AccountAnswer> {
  const before = await othersAccount(service, admin, id);
  if ('role' in change) {
    const back = (): Promise<void> => restoreRole(service, before);
    await keepingAnAdmin(service, before, () => storeRole(service, id, change.role), back);
  } else {
    const back = (): Promise<void> => ban(service, id, before.status === 'locked');
    await keepingAnAdmin(service, before, () => ban(service, id, change.locked), back);
  }
  return { account: await readAccount(service, id) };
}

/** What the person handed in stays (data model: the owner becomes empty). Throws AccountFailure. */
export async function removeAccount(service: SupabaseClient, admin: Administrator, id: string): Promise<void> {
  const before = await othersAccount(service, admin, id);
  // A removal cannot be taken back, so an administrator loses the role first.
  if (before.role === 'admin') {
    await keepingAnAdmin(
      service,
      before,
      () => dropRole(service, id),
      () => restoreRole(service, before),
    );
  }
  const { error } = await service.auth.admin.deleteUser(id);
  if (error !== null) throw failure(error);
}

/** A new password; every session of the account ends. Throws AccountFailure. */
export async function renewPassword(service: SupabaseClient, admin: Administrator, id: string): Promise<AccountAnswer> {
  await othersAccount(service, admin, id);
  const password = newPassword();
  const { error } = await service.auth.admin.updateUserById(id, { password, email_confirm: true });
  if (error !== null) throw failure(error);
  return { account: await readAccount(service, id), password };
}

/** The invitation once more, with a new link; the older one ends. Throws AccountFailure. */
export async function inviteAgain(service: SupabaseClient, id: string, invitedTo: string): Promise<AccountAnswer> {
  const { email, status } = await readAccount(service, id);
  if (status !== 'invited') throw new AccountFailure('already_signed_in');
  const { error } = await service.auth.admin.inviteUserByEmail(email, { redirectTo: invitedTo });
  if (error !== null) throw error.code === 'email_exists' ? new AccountFailure('already_signed_in') : failure(error);
  return { account: await readAccount(service, id) };
}

async function othersAccount(service: SupabaseClient, admin: Administrator, id: string): Promise<Account> {
  if (id === admin.id) throw new AccountFailure('own_account');
  return readAccount(service, id);
}

/**
 * Whoever acts is an administrator and cannot act on himself, so one is always left, but for two who demote each other
 * at the same moment through two servers: then it is looked at afterwards, and undone.
 */
async function keepingAnAdmin(
  service: SupabaseClient,
  before: Account,
  act: () => Promise<void>,
  undo: () => Promise<void>,
): Promise<void> {
  await act();
  if (before.role !== 'admin' || (await hasAdministrator(service))) return;
  await undo();
  throw new AccountFailure('last_admin');
}

async function ban(service: SupabaseClient, id: string, locked: boolean): Promise<void> {
  const { error } = await service.auth.admin.updateUserById(id, { ban_duration: locked ? FOR_GOOD : 'none' });
  if (error !== null) throw failure(error);
}

async function storeRole(service: SupabaseClient, id: string, role: string): Promise<void> {
  const { error } = await service.from('user_roles').upsert({ user_id: id, role });
  if (error !== null) throw new AccountFailure('backend_failed', { cause: error });
}

async function dropRole(service: SupabaseClient, id: string): Promise<void> {
  const { error } = await service.from('user_roles').delete().eq('user_id', id);
  if (error !== null) throw new AccountFailure('backend_failed', { cause: error });
}

function restoreRole(service: SupabaseClient, { id, role }: Account): Promise<void> {
  return role === null ? dropRole(service, id) : storeRole(service, id, role);
}
