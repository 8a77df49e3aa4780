import type { Factor, SupabaseClient } from '@supabase/supabase-js';
import type { Account, AccountAnswer, AccountChange, AccountFactors, NewAccount } from '#contract/accounts.ts';
import type { Administrator } from '../administrator.ts';
import { AccountRouteError, hasAdministrator, hasRole, readAccount, toRouteError } from './directory.ts';
import { generatePassword } from './accounts.ts';

/** The longest ban of the admin API, about a hundred years. */
const LONGEST_BAN = '876000h';

/** Throws AccountRouteError. `getInvitationTarget` is where the link in the invitation leads. */
export async function makeAccount(
  service: SupabaseClient,
  { email, role, by }: NewAccount,
  getInvitationTarget: string,
): Promise<AccountAnswer> {
  const password = by === 'password' ? generatePassword() : undefined;
  // The backend sends an unaccepted invitation again, which ends its link; one without a role was never completed.
  if (await hasRole(service, email)) throw new AccountRouteError('email_exists');
  const { data, error } =
    password === undefined
      ? await service.auth.admin.inviteUserByEmail(email, { redirectTo: getInvitationTarget })
      : await service.auth.admin.createUser({ email, password, email_confirm: true });
  if (error !== null) throw toRouteError(error);
  const { id } = data.user;
  try {
    await storeRole(service, id, role);
  } catch (cause) {
    await service.auth.admin.deleteUser(id);
    throw cause;
  }
  return { account: await readAccount(service, id), ...(password === undefined ? {} : { password }) };
}

/** Throws AccountRouteError. */
export async function changeAccount(
  service: SupabaseClient,
  admin: Administrator,
  id: string,
  change: AccountChange,
): Promise<AccountAnswer> {
  const before = await readOtherAccount(service, admin, id);
  if ('role' in change) {
    const back = (): Promise<void> => restoreRole(service, before);
    await keepAnAdmin(service, before, () => storeRole(service, id, change.role), back);
  } else {
    const back = (): Promise<void> => ban(service, id, before.status === 'locked');
    await keepAnAdmin(service, before, () => ban(service, id, change.locked), back);
  }
  return { account: await readAccount(service, id) };
}

/** Contributions of the account stay, without an owner. Throws AccountRouteError. */
export async function removeAccount(service: SupabaseClient, admin: Administrator, id: string): Promise<void> {
  const before = await readOtherAccount(service, admin, id);
  // A removal cannot be taken back, so an administrator loses the role first.
  if (before.role === 'admin') {
    const back = (): Promise<void> => restoreRole(service, before);
    await keepAnAdmin(service, before, () => dropRole(service, id), back);
  }
  const { error } = await service.auth.admin.deleteUser(id);
  if (error === null) return;
  const refusal = toRouteError(error);
  if (before.role === 'admin' && refusal.code !== 'account_not_found') await restoreRole(service, before);
  throw refusal;
}

/** Sets a new password and ends every session of the account. Throws AccountRouteError. */
export async function renewPassword(service: SupabaseClient, admin: Administrator, id: string): Promise<AccountAnswer> {
  await readOtherAccount(service, admin, id);
  const password = generatePassword();
  const { error } = await service.auth.admin.updateUserById(id, { password, email_confirm: true });
  if (error !== null) throw toRouteError(error);
  return { account: await readAccount(service, id), password };
}

/** Sends the invitation again with a new link, which ends the older one. Throws AccountRouteError. */
export async function inviteAgain(
  service: SupabaseClient,
  id: string,
  getInvitationTarget: string,
): Promise<AccountAnswer> {
  const { email, status } = await readAccount(service, id);
  if (status !== 'invited') throw new AccountRouteError('already_signed_in');
  const { error } = await service.auth.admin.inviteUserByEmail(email, { redirectTo: getInvitationTarget });
  if (error !== null)
    throw error.code === 'email_exists' ? new AccountRouteError('already_signed_in') : toRouteError(error);
  return { account: await readAccount(service, id) };
}

async function readOtherAccount(service: SupabaseClient, admin: Administrator, id: string): Promise<Account> {
  if (id === admin.id) throw new AccountRouteError('own_account');
  return readAccount(service, id);
}

/**
 * Administrators cannot demote themselves, so one is always left, except when two demote each other at the same moment
 * through two servers: this checks afterwards and undoes the change, also where it cannot check.
 */
async function keepAnAdmin(
  service: SupabaseClient,
  before: Account,
  act: () => Promise<void>,
  undo: () => Promise<void>,
): Promise<void> {
  await act();
  if (before.role !== 'admin') return;
  try {
    if (await hasAdministrator(service)) return;
  } catch (cause) {
    await undo();
    throw cause;
  }
  await undo();
  throw new AccountRouteError('last_admin');
}

async function ban(service: SupabaseClient, id: string, banned: boolean): Promise<void> {
  const { error } = await service.auth.admin.updateUserById(id, { ban_duration: banned ? LONGEST_BAN : 'none' });
  if (error !== null) throw toRouteError(error);
}

async function storeRole(service: SupabaseClient, id: string, role: string): Promise<void> {
  const { error } = await service.from('user_roles').upsert({ user_id: id, role });
  if (error !== null) throw new AccountRouteError('backend_failed', { cause: error });
}

async function dropRole(service: SupabaseClient, id: string): Promise<void> {
  const { error } = await service.from('user_roles').delete().eq('user_id', id);
  if (error !== null) throw new AccountRouteError('backend_failed', { cause: error });
}

function restoreRole(service: SupabaseClient, { id, role }: Account): Promise<void> {
  return role === null ? dropRole(service, id) : storeRole(service, id, role);
}

type Kind = AccountFactors['factors'][number]['kind'];

const KINDS: Readonly<Record<string, Kind>> = { totp: 'app', webauthn: 'passkey', phone: 'phone' };

/** Lists the second factors that a login asks for. Throws AccountRouteError. */
export async function listFactors(service: SupabaseClient, id: string): Promise<AccountFactors> {
  const factors = (await listAllFactors(service, id)).flatMap(({ status, factor_type, created_at: createdAt }) => {
    const kind = KINDS[factor_type];
    return status === 'verified' && kind !== undefined ? [{ kind, createdAt }] : [];
  });
  return { factors };
}

/**
 * For a lost device: afterwards the password alone opens the account, or leads to the set-up where the role requires a
 * second factor. The backend's audit log records it. Throws AccountRouteError.
 */
export async function removeFactors(service: SupabaseClient, admin: Administrator, userId: string): Promise<void> {
  if (userId === admin.id) throw new AccountRouteError('own_account');
  for (const { id } of await listAllFactors(service, userId)) {
    const { error } = await service.auth.admin.mfa.deleteFactor({ id, userId });
    // Its owner may have removed it in the meantime.
    if (error !== null && error.code !== 'mfa_factor_not_found') throw toRouteError(error);
  }
}

async function listAllFactors(service: SupabaseClient, userId: string): Promise<readonly Factor[]> {
  const { data, error } = await service.auth.admin.mfa.listFactors({ userId });
  if (error !== null) throw toRouteError(error);
  return data.factors;
}
