import { z } from 'zod';
import type { ProjectConfig } from '../../config.ts';
import type { Tx } from '../../database/index.ts';
import { changeAccount, merged, noteProviders } from '../accounts.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import { deleteIdentity, identitiesOf, type IdentityRow } from '../repository/identities.ts';
import { deleteTokens } from '../repository/one-time-tokens.ts';
import { findUserByEmail, lockUser, updateUser, type UserRow } from '../repository/users.ts';
import { userCall, type Ask } from '../route.ts';

const Params = z.object({ identity_id: z.guid() });

/** DELETE /user/identities/{identity_id}: one way into the account less, but never the last. */
export const unlinkIdentity = userCall({ method: 'DELETE', url: '/user/identities/:identity_id' }, async (ask, me) => {
  const { context, request } = ask;
  if (!context.auth.enable_manual_linking) throw FAULTS.manualLinkingDisabled();
  const id = Params.safeParse(request.params).data?.identity_id;
  if (id === undefined) throw new AuthError(404, 'validation_failed', 'identity_id must be an UUID');
  await context.database.asOwner(async (tx) => {
    const user = await lockUser(tx, me.user.id);
    if (user === undefined) throw FAULTS.userGone();
    await unlink(tx, ask, user, id);
  });
  return {};
});

async function unlink(tx: Tx, ask: Ask, user: UserRow, id: string): Promise<void> {
  const { at, device } = ask;
  const identities = await identitiesOf(tx, [user.id]);
  if (identities.length <= 1) {
    const why = 'User must have at least 1 identity after unlinking';
    throw new AuthError(422, 'single_identity_not_deletable', why);
  }
  const identity = identities.find((item) => item.id === id);
  if (identity === undefined) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist");
  await deleteIdentity(tx, id);
  const traits = { identity_id: id, provider: identity.provider };
  await audit(tx, { action: 'identity_unlinked', actorId: user.id, address: device.address, traits, at });
  await noteProviders(tx, await without(tx, ask, user, identity), at);
}

function without(tx: Tx, { context, at }: Ask, user: UserRow, identity: IdentityRow): Promise<UserRow> {
  if (identity.provider === 'phone') return updateUser(tx, user.id, { phone: null, phone_confirmed_at: null }, at);
  return emailAfterUnlinking(tx, context.auth, user, at);
}

/**
 * The account keeps its address while an identity still has it, else takes over the best one left: proved before
 * unproved before none. Whatever was under way for the old address ends. Throws AuthError where all are taken.
 */
async function emailAfterUnlinking(tx: Tx, auth: ProjectConfig['auth'], user: UserRow, at: Date): Promise<UserRow> {
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
