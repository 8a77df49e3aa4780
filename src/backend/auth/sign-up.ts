import { randomUUID } from 'node:crypto';
import type { Tx } from '../database/index.ts';
import { confirmEmail, confirmPhone, createAccount } from './accounts.ts';
import { ERRORS } from './errors.ts';
import { admitMail, issueCode, sendCodeMail, type IssuedCode } from './mail.ts';
import { issuePhoneCode, type PhoneCode } from './phone/codes.ts';
import { audit } from './repository/audit.ts';
import type { CodeChallenge } from './repository/flows.ts';
import { findIdentities } from './repository/identities.ts';
import { findOwnerOfEmail, findUserByPhone, type Metadata, type UserRow } from './repository/users.ts';
import type { RequestContext } from './route.ts';
import { userJson } from './user-json.ts';

/** A registration by e-mail; without a password for a login link. */
export type MailSignUp = Readonly<{
  email: string;
  passwordHash?: string;
  data: Metadata;
  challenge: CodeChallenge | undefined;
  redirectTo: string;
}>;

type Json = Record<string, unknown>;

/** Creates a confirmed account, for projects without confirmations. Throws AuthError where it exists. */
export async function addConfirmed(
  tx: Tx,
  { device, at }: RequestContext<unknown>,
  signUp: MailSignUp | PhoneSignUp,
): Promise<UserRow> {
  const isMail = 'email' in signUp;
  const existing = await (isMail ? findOwnerOfEmail(tx, signUp.email) : findUserByPhone(tx, signUp.phone));
  if (existing !== undefined) throw ERRORS.userExists();
  const confirm = isMail ? confirmEmail : confirmPhone;
  const user = await confirm(tx, await createUnconfirmed(tx, signUp, at), at);
  const traits = { provider: isMail ? 'email' : 'phone' };
  await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, traits, at });
  return user;
}

/**
 * Creates an account that waits for confirmation by mail. Returns undefined where a confirmed account has the address:
 * it gets no mail, and the caller must not notice, so the mail is sent in the background.
 */
export async function requestConfirmationByMail(
  input: RequestContext<unknown>,
  signUp: MailSignUp,
): Promise<Json | undefined> {
  const { context } = input;
  const made = await context.database.asOwner((tx) => storeByMail(tx, input, signUp));
  if (made === undefined) return undefined;
  const { issued, json } = made;
  if (issued !== undefined) {
    const mail = { to: signUp.email, kind: 'signup', made: issued, redirectTo: signUp.redirectTo } as const;
    context.background(sendCodeMail(context, mail));
  }
  return json;
}

/** `issued`: undefined where the hour has no mail left. */
type Prepared = Readonly<{ issued: IssuedCode | undefined; json: Json }>;

async function storeByMail(tx: Tx, input: RequestContext<unknown>, signUp: MailSignUp): Promise<Prepared | undefined> {
  const { context, device, at } = input;
  const existing = await findOwnerOfEmail(tx, signUp.email);
  if (existing !== undefined) await rehearseByMail(tx, input, signUp);
  // An unconfirmed account keeps its password, since the owner of the address is not known yet.
  const user = existing ?? (await createUnconfirmed(tx, signUp, at));
  const action = existing === undefined ? 'user_confirmation_requested' : 'user_repeated_signup';
  await audit(tx, { action, actorId: user.id, address: device.address, traits: { provider: 'email' }, at });
  if (user.email_confirmed_at !== null) return undefined;
  const issued = (await admitMail(context, 'others', tx))
    ? await issueCode(context, tx, { user, kind: 'signup', challenge: signUp.challenge, at })
    : undefined;
  return { issued, json: await buildAnswer(tx, issued?.user ?? user) };
}

/** Does the work for an unused address and rolls it back, so that the answer takes as long for an existing account. */
async function rehearseByMail(tx: Tx, { context, at }: RequestContext<unknown>, signUp: MailSignUp): Promise<void> {
  await tx.query('savepoint rehearsal');
  const user = await createUnconfirmed(tx, { ...signUp, email: `${randomUUID()}@rehearsal.invalid` }, at);
  const issued = await issueCode(context, tx, { user, kind: 'signup', challenge: signUp.challenge, at });
  await buildAnswer(tx, issued.user);
  await tx.query('rollback to savepoint rehearsal');
}

function createUnconfirmed(tx: Tx, signUp: MailSignUp | PhoneSignUp, at: Date): Promise<UserRow> {
  return createAccount(tx, { ...signUp, identityData: signUp.data, at });
}

/** Hides the metadata of an invited user from the person who registers the address. */
async function buildAnswer(tx: Tx, user: UserRow): Promise<Json> {
  if (user.invited_at === null) return userJson(user, await findIdentities(tx, [user.id]));
  return userJson({ ...user, raw_user_meta_data: {} }, []);
}

/** A registration by phone number; without a password for a login code. */
export type PhoneSignUp = Readonly<{ phone: string; passwordHash?: string; data: Metadata }>;

/**
 * Creates an account that waits for a code. Returns undefined where a confirmed account has the number, which the
 * caller must not notice.
 */
export async function requestConfirmationByPhone(
  tx: Tx,
  input: RequestContext<unknown>,
  signUp: PhoneSignUp,
): Promise<PhoneCode | undefined> {
  const { context, device, at } = input;
  const existing = await findUserByPhone(tx, signUp.phone);
  const user = existing ?? (await createUnconfirmed(tx, signUp, at));
  const action = existing === undefined ? 'user_confirmation_requested' : 'user_repeated_signup';
  await audit(tx, { action, actorId: user.id, address: device.address, traits: { provider: 'phone' }, at });
  if (user.phone_confirmed_at !== null) return undefined;
  return issuePhoneCode(context, tx, { user, phone: signUp.phone, purpose: 'confirmation', at });
}
