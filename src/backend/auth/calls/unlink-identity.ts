import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { noteProviders } from '../accounts.ts';
import { userCall, type Ask } from '../call.ts';
import { emailAfterUnlinking } from '../changes/email-after-unlinking.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { audit } from '../records/audit.ts';
import { deleteIdentity, identitiesOf, type IdentityRow } from '../records/identities.ts';
import { lockUser, updateUser, type UserRow } from '../records/users.ts';

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
