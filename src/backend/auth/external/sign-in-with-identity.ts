import { randomUUID } from 'node:crypto';
import type { Tx } from '../../database/index.ts';
import { addUser, AUDIENCE, confirmEmail, mergeMetadata, ROLE, storeProviders } from '../accounts.ts';
import { isBanned } from '../authenticate.ts';
import { AuthError, ERRORS } from '../errors.ts';
import { issueCode, sendCodeMail, takeMailboxQuota, takeMailQuota } from '../mail.ts';
import { audit } from '../repository/audit.ts';
import {
  findIdentity,
  findUserIdsByEmails,
  insertIdentity,
  keepOnlyIdentity,
  lockSubject,
  updateIdentity,
} from '../repository/identities.ts';
import { deleteTokens } from '../repository/one-time-tokens.ts';
import { deleteUserSessions } from '../repository/sessions.ts';
import { findOwnerOfEmail, lockUser, updateUser, type UserRow } from '../repository/users.ts';
import type { RequestContext } from '../route.ts';
import { getMainEmail, type Profile } from './profile.ts';

/** A user that another provider has authenticated. */
export type ProviderIdentity = Readonly<{ provider: string; emailOptional: boolean; profile: Profile }>;

/** Finds, links or makes the account (supabase-contract §1.4 /callback). A refusal that sends a mail still commits. */
export async function signInWithIdentity(
  tx: Tx,
  input: RequestContext<unknown>,
  identity: ProviderIdentity,
): Promise<SignInOutcome> {
  const { provider, profile } = identity;
  await lockSubject(tx, provider, profile.subject);
  const user = await applyDecision(tx, input, identity, await decideAccount(tx, identity));
  if (isBanned(user, input.context.now())) throw ERRORS.bannedCaller();
  const named = await storeProviders(tx, user, input.at);
  if (named.email_confirmed_at !== null) return { kind: 'user', user: named };
  if (named.email !== null) return claimAccount(tx, input, identity, named);
  if (!identity.emailOptional && named.phone_confirmed_at === null) throw needsVerification(provider);
  return { kind: 'user', user: named };
}

async function decideAccount(tx: Tx, { provider, profile }: ProviderIdentity): Promise<LinkingDecision> {
  const known = await findIdentity(tx, provider, profile.subject);
  const verified = profile.emails.filter((email) => email.verified).map(({ email }) => email);
  const main = getMainEmail(profile);
  const owner = main === undefined || isSso(provider) ? undefined : await findOwnerOfEmail(tx, main.email);
  return decideLinking({
    knownUserId: known?.user_id,
    sharing: await findUserIdsByEmails(tx, verified, provider),
    email: main && { address: main.email, verified: main.verified },
    taken: owner !== undefined,
  });
}

async function applyDecision(
  tx: Tx,
  input: RequestContext<unknown>,
  identity: ProviderIdentity,
  decision: LinkingDecision,
): Promise<UserRow> {
  const { profile, provider } = identity;
  const { at, device } = input;
  if (decision.kind === 'ambiguous') {
    const domain = isSso(provider) ? provider : 'default';
    const why = `Multiple accounts with the same email address in the same linking domain detected: ${domain}`;
    throw new AuthError(500, 'unexpected_failure', why);
  }
  if (decision.kind === 'create') return createUser(tx, input, identity, decision.email);
  const user = await lockUser(tx, decision.userId);
  if (user === undefined) throw ERRORS.userNotFound();
  if (decision.kind === 'enter') {
    const link = await findIdentity(tx, provider, profile.subject);
    if (link !== undefined) await updateIdentity(tx, link.id, profile.data, at);
  } else {
    const link = { provider, subject: profile.subject, userId: user.id, data: profile.data, at };
    const traits = { identity_id: await insertIdentity(tx, link), provider };
    await audit(tx, { action: 'identity_linked', actorId: user.id, address: device.address, traits, at });
  }
  return updateUser(tx, user.id, { raw_user_meta_data: mergeMetadata(user.raw_user_meta_data, profile.data) }, at);
}

async function createUser(
  tx: Tx,
  input: RequestContext<unknown>,
  identity: ProviderIdentity,
  email: string | undefined,
): Promise<UserRow> {
  const { profile, provider } = identity;
  const { context, at, device } = input;
  // An administrator has admitted the users of a company's identity provider by setting it up (decision 0026).
  if (!context.auth.enable_signup && !isSso(provider)) throw ERRORS.signupDisabled();
  // An account without a way to sign in would only block the address once the provider has verified it.
  if (email === undefined && !identity.emailOptional) throw needsVerification(provider);
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
 * The address of this account was never verified: an attacker may have registered it with a password. So only the
 * present identity stays, before anything else happens.
 */
async function claimAccount(
  tx: Tx,
  input: RequestContext<unknown>,
  { provider, profile }: ProviderIdentity,
  user: UserRow,
): Promise<SignInOutcome> {
  const { context, at } = input;
  await keepOnlyIdentity(tx, user.id, provider, profile.subject);
  await deleteTokens(tx, user.id);
  await deleteUserSessions(tx, user.id, undefined);
  const change = { encrypted_password: null, raw_user_meta_data: profile.data };
  const claimed = await storeProviders(tx, await updateUser(tx, user.id, change, at), at);
  const vouched = profile.emails.some(({ email, verified }) => verified && email === claimed.email);
  if (!vouched && context.auth.email.enable_confirmations) {
    return requestConfirmation(tx, input, claimed, { provider, code: 'provider_email_needs_verification' });
  }
  return { kind: 'user', user: await confirmEmail(tx, claimed, at) };
}

/** The signed-in user, or a refusal whose mail `send` sends after the committed transaction. */
export type SignInOutcome =
  | Readonly<{ kind: 'user'; user: UserRow }>
  | Readonly<{ kind: 'refused'; error: AuthError; send: () => Promise<void> }>;

/** Sends a mail to the unverified address; its link confirms the account. Throws AuthError. */
export async function requestConfirmation(
  tx: Tx,
  { context, at }: RequestContext<unknown>,
  user: UserRow,
  { provider, code }: Readonly<{ provider: string; code: string }>,
): Promise<SignInOutcome> {
  const email = user.email ?? '';
  await takeMailboxQuota(context, email, tx);
  await takeMailQuota(context, 'others', tx);
  const made = await issueCode(context, tx, { user, kind: 'signup', at });
  const why = `Unverified email with ${provider}. A confirmation email has been sent to your ${provider} email`;
  return {
    kind: 'refused',
    error: new AuthError(422, code, why),
    send: () => sendCodeMail(context, { to: email, kind: 'signup', made, redirectTo: context.auth.site_url }),
  };
}

/** The facts about a sign-in with a provider and the existing accounts. */
export type LinkingFacts = Readonly<{
  /** The user of this very identity. */
  knownUserId: string | undefined;
  /** Users with one of the verified addresses in the same linking domain. */
  sharing: readonly string[];
  /** The address of a new account. */
  email: Readonly<{ address: string; verified: boolean }> | undefined;
  /** Whether an account of the same linking domain has that address. */
  taken: boolean;
}>;

/** The account to sign in to (supabase-contract §1.4 /callback). */
type LinkingDecision =
  | Readonly<{ kind: 'enter'; userId: string }>
  | Readonly<{ kind: 'link'; userId: string }>
  | Readonly<{ kind: 'create'; email: string | undefined }>
  | Readonly<{ kind: 'ambiguous' }>;

/**
 * An address that the provider has verified links to the account that has it. An unverified address never does: anybody
 * can write any address into a profile elsewhere. Where such an address is taken, the new account has none.
 */
export function decideLinking({ knownUserId, sharing, email, taken }: LinkingFacts): LinkingDecision {
  if (knownUserId !== undefined) return { kind: 'enter', userId: knownUserId };
  const users = new Set(sharing);
  const [only] = users;
  if (only === undefined) return { kind: 'create', email: taken ? undefined : email?.address };
  return users.size === 1 ? { kind: 'link', userId: only } : { kind: 'ambiguous' };
}

/** Company sign-on is a linking domain of its own: its users are never linked, not even by the same address. */
function isSso(provider: string): boolean {
  return provider.startsWith('sso:');
}
