import type { Tx } from '../../database/index.ts';
import { changeAccount, confirmEmail, merged, noteProviders } from '../accounts.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import { findIdentity, insertIdentity, keepOnlyIdentity, lockSubject } from '../repository/identities.ts';
import { deleteTokens, lockToken } from '../repository/one-time-tokens.ts';
import { findOwnerOfEmail, lockUser, updateUser, type UserRow } from '../repository/users.ts';
import type { Ask } from '../route.ts';
import { mainEmail } from './profile.ts';
import { confirmationFor, type Arrived, type Outcome } from './sign-in-with-identity.ts';

/** Adds a way into the account of somebody who is signed in (`enable_manual_linking`). Throws AuthError. */
export async function linkTo(tx: Tx, ask: Ask<unknown>, arrived: Arrived, userId: string): Promise<Outcome> {
  const { provider, profile } = arrived;
  const { at, device } = ask;
  await lockSubject(tx, provider, profile.subject);
  const user = await lockUser(tx, userId);
  if (user === undefined) throw new AuthError(422, 'user_not_found', 'Linking target user not found');
  const known = await findIdentity(tx, provider, profile.subject);
  if (known !== undefined) {
    const whose = known.user_id === user.id ? '' : ' to another user';
    throw new AuthError(422, 'identity_already_exists', `Identity is already linked${whose}`);
  }
  const identity = { provider, subject: profile.subject, userId: user.id, data: profile.data, at };
  const traits = { identity_id: await insertIdentity(tx, identity), provider };
  await audit(tx, { action: 'identity_linked', actorId: user.id, address: device.address, traits, at });
  const named = await noteProviders(tx, user, at);
  return named.email === null || named.email === ''
    ? adoptEmail(tx, ask, arrived, named)
    : { kind: 'user', user: named };
}

/** Somebody without an address gets that of the identity; whoever was anonymous is so no more. */
async function adoptEmail(tx: Tx, ask: Ask<unknown>, { provider, profile }: Arrived, user: UserRow): Promise<Outcome> {
  const main = mainEmail(profile);
  if (main === undefined) return { kind: 'user', user };
  const taken = await findOwnerOfEmail(tx, main.email);
  if (taken !== undefined && taken.id !== user.id) {
    throw new AuthError(400, 'email_exists', FAULTS.emailExists().message);
  }
  const owner = await changeAccount(tx, user.id, { email: main.email }, ask.at);
  if (!main.verified) return confirmationFor(tx, ask, owner, { provider, code: 'email_not_confirmed' });
  const confirmed = await confirmEmail(tx, owner, ask.at);
  return { kind: 'user', user: await updateUser(tx, confirmed.id, { is_anonymous: false }, ask.at) };
}

/** Somebody invited who comes in through another provider instead of a password. Throws AuthError. */
export async function acceptInvitation(tx: Tx, ask: Ask<unknown>, arrived: Arrived, token: string): Promise<UserRow> {
  const { provider, profile } = arrived;
  const { at, device } = ask;
  await lockSubject(tx, provider, profile.subject);
  const invitation = await lockToken(tx, [token], ['confirmation_token']);
  const user = invitation && (await lockUser(tx, invitation.user_id));
  if (user === undefined) throw new AuthError(404, 'invite_not_found', 'Invite not found');
  if (!profile.emails.some(({ email, verified }) => verified && email === user.email)) {
    throw new AuthError(400, 'validation_failed', 'Invited email does not match emails from external provider');
  }
  if ((await findIdentity(tx, provider, profile.subject)) !== undefined) {
    throw new AuthError(422, 'identity_already_exists', 'Identity is already linked to another user');
  }
  await insertIdentity(tx, { provider, subject: profile.subject, userId: user.id, data: profile.data, at });
  await keepOnlyIdentity(tx, user.id, provider, profile.subject);
  await deleteTokens(tx, user.id);
  await audit(tx, { action: 'invite_accepted', actorId: user.id, address: device.address, traits: { provider }, at });
  const change = { encrypted_password: null, raw_user_meta_data: merged(user.raw_user_meta_data, profile.data) };
  return noteProviders(tx, await confirmEmail(tx, await updateUser(tx, user.id, change, at), at), at);
}
