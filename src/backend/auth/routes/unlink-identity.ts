import { z } from 'zod';
import type { ProjectConfig } from '../../config.ts';
import type { Tx } from '../../database/index.ts';
import { changeAccount, mergeMetadata, storeProviders } from '../accounts.ts';
import { AuthError, ERRORS } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import { deleteIdentity, findIdentities, type IdentityRow } from '../repository/identities.ts';
import { deleteTokens } from '../repository/one-time-tokens.ts';
import { findUserByEmail, lockUser, updateUser, type UserRow } from '../repository/users.ts';
import { userRoute, type RequestContext } from '../route.ts';

const Params = z.object({ identity_id: z.guid() });

/** DELETE /user/identities/{identity_id}: removes an identity, but never the last one. */
export const unlinkIdentity = userRoute(
  { method: 'DELETE', url: '/user/identities/:identity_id' },
  async (input, me) => {
    const { context, request } = input;
    if (!context.auth.enable_manual_linking) throw ERRORS.manualLinkingDisabled();
    const id = Params.safeParse(request.params).data?.identity_id;
    if (id === undefined) throw new AuthError(404, 'validation_failed', 'identity_id must be an UUID');
    await context.database.asOwner(async (tx) => {
      const user = await lockUser(tx, me.user.id);
      if (user === undefined) throw ERRORS.subjectNotFound();
      await unlinkFrom(tx, input, user, id);
    });
    return {};
  },
);

async function unlinkFrom(tx: Tx, input: RequestContext, user: UserRow, id: string): Promise<void> {
  const { at, device } = input;
  const identities = await findIdentities(tx, [user.id]);
  if (identities.length <= 1) {
    const why = 'User must have at least 1 identity after unlinking';
    throw new AuthError(422, 'single_identity_not_deletable', why);
  }
  const identity = identities.find((item) => item.id === id);
  if (identity === undefined) throw new AuthError(422, 'identity_not_found', "Identity doesn't exist");
  await deleteIdentity(tx, id);
  const traits = { identity_id: id, provider: identity.provider };
  await audit(tx, { action: 'identity_unlinked', actorId: user.id, address: device.address, traits, at });
  await storeProviders(tx, await removeContact(tx, input, user, identity), at);
}

function removeContact(
  tx: Tx,
  { context, at }: RequestContext,
  user: UserRow,
  identity: IdentityRow,
): Promise<UserRow> {
  if (identity.provider === 'phone') return updateUser(tx, user.id, { phone: null, phone_confirmed_at: null }, at);
  return chooseNextEmail(tx, context.auth, user, at);
}

/**
 * Keeps the account's address while an identity has it, else chooses the best remaining one: verified before unverified
 * before none. Pending changes end. Throws AuthError where all are taken.
 */
async function chooseNextEmail(tx: Tx, auth: ProjectConfig['auth'], user: UserRow, at: Date): Promise<UserRow> {
  const left = await findIdentities(tx, [user.id]);
  if (left.some(({ email }) => email !== null && email === user.email)) return user;
  const next = await findFreeEmail(
    tx,
    left.toSorted((a, b) => rank(a) - rank(b)),
  );
  if (next === undefined) {
    const why = 'Unable to unlink identity due to email conflict';
    throw new AuthError(422, 'email_conflict_identity_not_deletable', why);
  }
  await deleteTokens(tx, user.id);
  const pending = { email_change: '', email_change_confirm_status: 0, phone_change: '' };
  const verified = next.email !== null && (isVerified(next) || !auth.email.enable_confirmations);
  const kept = verified ? {} : { email_confirmed_at: null, raw_user_meta_data: markUnverified(user) };
  return changeAccount(tx, user.id, { email: next.email, ...pending, ...kept }, at);
}

function rank(identity: IdentityRow): number {
  if (identity.email === null) return 2;
  return isVerified(identity) ? 0 : 1;
}

function isVerified({ identity_data }: IdentityRow): boolean {
  return identity_data['email_verified'] === true;
}

function markUnverified(user: UserRow): UserRow['raw_user_meta_data'] {
  return mergeMetadata(user.raw_user_meta_data, { email_verified: false });
}

async function findFreeEmail(tx: Tx, identities: readonly IdentityRow[]): Promise<IdentityRow | undefined> {
  for (const identity of identities) {
    if (identity.email === null || (await findUserByEmail(tx, identity.email)) === undefined) return identity;
  }
  return undefined;
}
