import type { Tx } from '../../database/index.ts';
import { changeAccount, confirmEmail, mergeMetadata, storeProviders } from '../accounts.ts';
import { isBanned } from '../authenticate.ts';
import { AuthError, ERRORS } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import { findIdentity, insertIdentity, keepOnlyIdentity, lockSubject } from '../repository/identities.ts';
import { deleteTokens, lockToken } from '../repository/one-time-tokens.ts';
import { findOwnerOfEmail, lockUser, updateUser, type UserRow } from '../repository/users.ts';
import type { RequestContext } from '../route.ts';
import { isExpired } from '../verify-one-time-token.ts';
import { getMainEmail } from './profile.ts';
import { requestConfirmation, type ProviderIdentity, type SignInOutcome } from './sign-in-with-identity.ts';

/** Adds an identity to the account of a signed-in user (`enable_manual_linking`). Throws AuthError. */
export async function addIdentity(
  tx: Tx,
  input: RequestContext<unknown>,
  given: ProviderIdentity,
  userId: string,
): Promise<SignInOutcome> {
  const { provider, profile } = given;
  const { at, device } = input;
  await lockSubject(tx, provider, profile.subject);
  const user = await lockUser(tx, userId);
  if (user === undefined) throw new AuthError(422, 'user_not_found', 'Linking target user not found');
  const known = await findIdentity(tx, provider, profile.subject);
  if (known !== undefined) {
    const whose = known.user_id === user.id ? '' : ' to another user';
    throw new AuthError(422, 'identity_already_exists', `Identity is already linked${whose}`);
  }
  const link = { provider, subject: profile.subject, userId: user.id, data: profile.data, at };
  const traits = { identity_id: await insertIdentity(tx, link), provider };
  await audit(tx, { action: 'identity_linked', actorId: user.id, address: device.address, traits, at });
  const named = await storeProviders(tx, user, at);
  return named.email === null || named.email === ''
    ? adoptEmail(tx, input, given, named)
    : { kind: 'user', user: named };
}

/** Gives an account without an address that of the identity; an anonymous user becomes a regular one. */
async function adoptEmail(
  tx: Tx,
  input: RequestContext<unknown>,
  { provider, profile }: ProviderIdentity,
  user: UserRow,
): Promise<SignInOutcome> {
  const main = getMainEmail(profile);
  if (main === undefined) return { kind: 'user', user };
  const taken = await findOwnerOfEmail(tx, main.email);
  if (taken !== undefined && taken.id !== user.id) {
    throw new AuthError(400, 'email_exists', ERRORS.emailExists().message);
  }
  const owner = await changeAccount(tx, user.id, { email: main.email }, input.at);
  if (!main.verified) return requestConfirmation(tx, input, owner, { provider, code: 'email_not_confirmed' });
  const confirmed = await confirmEmail(tx, owner, input.at);
  return { kind: 'user', user: await updateUser(tx, confirmed.id, { is_anonymous: false }, input.at) };
}

/** Accepts an invitation with an identity instead of a password. Throws AuthError. */
export async function acceptInvitation(
  tx: Tx,
  input: RequestContext<unknown>,
  given: ProviderIdentity,
  token: string,
): Promise<UserRow> {
  const { provider, profile } = given;
  const { at, device } = input;
  await lockSubject(tx, provider, profile.subject);
  const invitation = await lockToken(tx, [token], ['confirmation_token']);
  const user = invitation && (await lockUser(tx, invitation.user_id));
  if (invitation === undefined || user === undefined || isExpired(input.context, 'link', invitation)) {
    throw new AuthError(404, 'invite_not_found', 'Invite not found');
  }
  if (isBanned(user, input.context.now())) throw ERRORS.bannedCaller();
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
  const change = { encrypted_password: null, raw_user_meta_data: mergeMetadata(user.raw_user_meta_data, profile.data) };
  return storeProviders(tx, await confirmEmail(tx, await updateUser(tx, user.id, change, at), at), at);
}
