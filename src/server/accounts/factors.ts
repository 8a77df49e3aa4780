import type { Factor, SupabaseClient } from '@supabase/supabase-js';
import type { AccountFactors } from '#contract/accounts.ts';
import type { Administrator } from '../administrator.ts';
import { failure } from './directory.ts';
import { AccountFailure } from './faults.ts';

type Kind = AccountFactors['factors'][number]['kind'];

const KINDS: Readonly<Record<string, Kind>> = { totp: 'app', webauthn: 'passkey', phone: 'phone' };

/** The second factors that are asked for at the login. Throws AccountFailure. */
export async function listFactors(service: SupabaseClient, id: string): Promise<AccountFactors> {
  const factors = (await factorsOf(service, id)).flatMap(({ status, factor_type, created_at: createdAt }) => {
    const kind = KINDS[factor_type];
    return status === 'verified' && kind !== undefined ? [{ kind, createdAt }] : [];
  });
  return { factors };
}

/**
 * For somebody who has lost the device: afterwards the password alone opens the account, or leads to the set-up where
 * the role requires a second factor. The backend notes it in its audit log. Throws AccountFailure.
 */
export async function removeFactors(service: SupabaseClient, admin: Administrator, userId: string): Promise<void> {
  if (userId === admin.id) throw new AccountFailure('own_account');
  for (const { id } of await factorsOf(service, userId)) {
    const { error } = await service.auth.admin.mfa.deleteFactor({ id, userId });
    // Gone already: its owner was quicker.
    if (error !== null && error.code !== 'mfa_factor_not_found') throw failure(error);
  }
}

async function factorsOf(service: SupabaseClient, userId: string): Promise<readonly Factor[]> {
  const { data, error } = await service.auth.admin.mfa.listFactors({ userId });
  if (error !== null) throw failure(error);
  return data.factors;
}
