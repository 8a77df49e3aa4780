import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import { addUser, AUDIENCE, confirmEmail, merged, noteProviders, ROLE } from '../accounts.ts';
import { isBanned } from '../authenticate.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { deliver, issueCode, takeMail, takeMailbox } from '../mail/codes.ts';
import { audit } from '../repository/audit.ts';
import {
  findIdentity,
  insertIdentity,
  keepOnlyIdentity,
  lockSubject,
  rewriteIdentity,
  usersSharing,
} from '../repository/identities.ts';
import { deleteTokens } from '../repository/one-time-tokens.ts';
import { deleteSessionsOf } from '../repository/sessions.ts';
import { findOwnerOfEmail, lockUser, updateUser, type UserRow } from '../repository/users.ts';
import type { Ask } from '../route.ts';
import { decideLinking, isSso, type LinkingDecision } from './linking.ts';
import { mainEmail, type Profile } from './profile.ts';

/** Somebody whom another provider vouches for. */
export type Arrived = Readonly<{ provider: string; emailOptional: boolean; profile: Profile }>;

/** Finds, links or makes the account (supabase-contract §1.4 /callback). What is refused with a mail is still kept. */
export async function enterFrom(tx: Tx, ask: Ask<unknown>, arrived: Arrived): Promise<Outcome> {
  const { provider, profile } = arrived;
  await lockSubject(tx, provider, profile.subject);
  const user = await settle(tx, ask, arrived, await decide(tx, arrived));
  if (isBanned(user, ask.context.now())) throw FAULTS.bannedCaller();
  const named = await noteProviders(tx, user, ask.at);
  if (named.email_confirmed_at !== null) return { kind: 'user', user: named };
  if (named.email !== null) return prove(tx, ask, arrived, named);
  if (!arrived.emailOptional && named.phone_confirmed_at === null) throw needsVerification(provider);
  return { kind: 'user', user: named };
}

async function decide(tx: Tx, { provider, profile }: Arrived): Promise<LinkingDecision> {
  const known = await findIdentity(tx, provider, profile.subject);
  const verified = profile.emails.filter((email) => email.verified).map(({ email }) => email);
  const main = mainEmail(profile);
  const owner = main === undefined || isSso(provider) ? undefined : await findOwnerOfEmail(tx, main.email);
  return decideLinking({
    knownUserId: known?.user_id,
    sharing: await usersSharing(tx, verified, provider),
    email: main && { address: main.email, verified: main.verified },
    taken: owner !== undefined,
  });
}

async function settle(tx: Tx, ask: Ask<unknown>, arrived: Arrived, decision: LinkingDecision): Promise<UserRow> {
  const { profile, provider } = arrived;
  const { at, device } = ask;
  if (decision.kind === 'ambiguous') {
    const domain = isSso(provider) ? provider : 'default';
    const why = `Multiple accounts with the same email address in the same linking domain detected: ${domain}`;
    throw new AuthError(500, 'unexpected_failure', why);
  }
  if (decision.kind === 'create') return create(tx, ask, arrived, decision.email);
  const user = await lockUser(tx, decision.userId);
  if (user === undefined) throw FAULTS.userNotFound();
  if (decision.kind === 'enter') {
    const identity = await findIdentity(tx, provider, profile.subject);
    if (identity !== undefined) await rewriteIdentity(tx, identity.id, profile.data, at);
  } else {
    const identity = { provider, subject: profile.subject, userId: user.id, data: profile.data, at };
    const traits = { identity_id: await insertIdentity(tx, identity), provider };
    await audit(tx, { action: 'identity_linked', actorId: user.id, address: device.address, traits, at });
  }
  return updateUser(tx, user.id, { raw_user_meta_data: merged(user.raw_user_meta_data, profile.data) }, at);
}

async function create(tx: Tx, ask: Ask<unknown>, arrived: Arrived, email: string | undefined): Promise<UserRow> {
  const { profile, provider } = arrived;
  const { context, at, device } = ask;
  // Whom a company's identity provider sends, an administrator has let in when setting it up (decision 0026).
  if (!context.auth.enable_signup && !isSso(provider)) throw FAULTS.signupDisabled();
  // An account nobody could enter would only stand in the way once the provider has checked the address.
  if (email === undefined && !arrived.emailOptional) throw needsVerification(provider);
  const values = {
    aud: AUDIENCE,
    role: ROLE,
    email: email ?? null,
    raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: profile.data,
    is_sso_user: isSso(provider),
  };
  const user = await addUser(tx, randomUUID(), values, at);
  await insertIdentity(tx, { provider, subject: profile.subject, userId: user.id, data: profile.data, at });
  await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, traits: { provider }, at });
  return user;
}

function needsVerification(provider: string): AuthError {
  const why = `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`;
  return new AuthError(422, 'provider_email_needs_verification', why);
}

/**
 * The address of this account was never proved: somebody else may have registered it, with a password of theirs. So
 * only the way that is being proved now stays, before anything else happens.
 */
async function prove(tx: Tx, ask: Ask<unknown>, { provider, profile }: Arrived, user: UserRow): Promise<Outcome> {
  const { context, at } = ask;
  await keepOnlyIdentity(tx, user.id, provider, profile.subject);
  await deleteTokens(tx, user.id);
  await deleteSessionsOf(tx, user.id, undefined);
  const change = { encrypted_password: null, raw_user_meta_data: profile.data };
  const bare = await noteProviders(tx, await updateUser(tx, user.id, change, at), at);
  const vouched = profile.emails.some(({ email, verified }) => verified && email === bare.email);
  if (!vouched && context.auth.email.enable_confirmations) {
    return confirmationFor(tx, ask, bare, { provider, code: 'provider_email_needs_verification' });
  }
  return { kind: 'user', user: await confirmEmail(tx, bare, at) };
}

/** Who may enter, or what they are told instead; `send` is for after the transaction, which stays as it is. */
export type Outcome =
  | Readonly<{ kind: 'user'; user: UserRow }>
  | Readonly<{ kind: 'refused'; fault: AuthError; send: () => Promise<void> }>;

type Refusal = Readonly<{ provider: string; code: string }>;

/** A mail to the address that the other provider did not vouch for; its link confirms the account. Throws AuthError. */
export async function confirmationFor(
  tx: Tx,
  { context, at }: Ask<unknown>,
  user: UserRow,
  { provider, code }: Refusal,
): Promise<Outcome> {
  const email = user.email ?? '';
  await takeMailbox(context, email, tx);
  await takeMail(context, 'others', tx);
  const made = await issueCode(context, tx, { user, kind: 'signup', at });
  const why = `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`;
  return {
    kind: 'refused',
    fault: new AuthError(422, code, why),
    send: () => deliver(context, { to: email, kind: 'signup', made, redirectTo: context.auth.site_url }),
  };
}
