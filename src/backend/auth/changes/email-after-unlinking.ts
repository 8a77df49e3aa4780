import type { Tx } from '../../database/index.ts';
import type { ProjectConfig } from '../../config.ts';
import { changeAccount, merged } from '../accounts.ts';
import { AuthError } from '../errors.ts';
import { identitiesOf, type IdentityRow } from '../records/identities.ts';
import { deleteTokens } from '../records/one-time-tokens.ts';
import { findUserByEmail, type UserRow } from '../records/users.ts';

/**
 * The account keeps its address while an identity still has it, else takes over the best one left: proved before
 * unproved before none. Whatever was under way for the old address ends. Throws AuthError where all are taken.
 */
export async function emailAfterUnlinking(
  tx: Tx,
  auth: ProjectConfig['auth'],
  user: UserRow,
  at: Date,
): Promise<UserRow> {
  const left = await identitiesOf(tx, [user.id]);
  if (left.some(({ email }) => email !== null && email === user.email)) return user;
  const next = await firstFree(
    tx,
    left.toSorted((a, b) => rank(a) - rank(b)),
  );
  if (next === undefined) {
    const why = 'Unable to unlink identity due to email conflict';
    throw new AuthError(422, 'email_conflict_identity_not_deletable', why);
  }
  await deleteTokens(tx, user.id);
  const pending = { email_change: '', email_change_confirm_status: 0, phone_change: '' };
  const proved = next.email !== null && (isProved(next) || !auth.email.enable_confirmations);
  const kept = proved ? {} : { email_confirmed_at: null, raw_user_meta_data: unproved(user) };
  return changeAccount(tx, user.id, { email: next.email, ...pending, ...kept }, at);
}

function rank(identity: IdentityRow): number {
  if (identity.email === null) return 2;
  return isProved(identity) ? 0 : 1;
}

function isProved({ identity_data }: IdentityRow): boolean {
  return identity_data['email_verified'] === true;
}

function unproved(user: UserRow): UserRow['raw_user_meta_data'] {
  return merged(user.raw_user_meta_data, { email_verified: false });
}

async function firstFree(tx: Tx, identities: readonly IdentityRow[]): Promise<IdentityRow | undefined> {
  for (const identity of identities) {
    if (identity.email === null || (await findUserByEmail(tx, identity.email)) === undefined) return identity;
  }
  return undefined;
}
