import { randomUUID } from 'node:crypto';
import type { Tx } from '../database/index.ts';
import { confirmEmail, confirmPhone, createAccount } from './accounts.ts';
import { FAULTS } from './errors.ts';
import type { Challenge } from './flows/code-challenge.ts';
import { deliver, issueCode, sendWithin, type IssuedCode } from './mail/codes.ts';
import { issuePhoneCode, type PhoneCode } from './phone/codes.ts';
import { audit } from './repository/audit.ts';
import { identitiesOf } from './repository/identities.ts';
import { findOwnerOfEmail, findUserByPhone, type Metadata, type UserRow } from './repository/users.ts';
import type { Ask } from './route.ts';
import { userJson } from './user-json.ts';

/** Somebody with an e-mail address; who asks for a link instead of bringing a password has none. */
export type MailSignUp = Readonly<{
  email: string;
  passwordHash?: string;
  data: Metadata;
  challenge: Challenge | undefined;
  redirectTo: string;
}>;

type Json = Record<string, unknown>;

/** Where confirmations are off the account counts at once. Throws AuthError where there is one already. */
export async function addConfirmed(tx: Tx, { device, at }: Ask<unknown>, wish: MailSignUp): Promise<UserRow> {
  if ((await findOwnerOfEmail(tx, wish.email)) !== undefined) throw FAULTS.userExists();
  const user = await confirmEmail(tx, await createByMail(tx, wish, at), at);
  const traits = { provider: 'email' };
  await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, traits, at });
  return user;
}

/**
 * An account that waits for the answer to a mail. Undefined where somebody confirmed has the address: they get no mail,
 * and the caller must not learn of it, which is also why nobody waits for the mail.
 */
export async function askForConfirmation(ask: Ask<unknown>, wish: MailSignUp): Promise<Json | undefined> {
  const { context } = ask;
  const made = await context.database.asOwner((tx) => prepareByMail(tx, ask, wish));
  if (made === undefined) return undefined;
  const mail = { to: wish.email, kind: 'signup', made, redirectTo: wish.redirectTo } as const;
  context.background(sendWithin(context, 'others', () => deliver(context, mail)));
  return made.json;
}

type Prepared = IssuedCode & Readonly<{ json: Json }>;

async function prepareByMail(tx: Tx, ask: Ask<unknown>, wish: MailSignUp): Promise<Prepared | undefined> {
  const { context, device, at } = ask;
  const existing = await findOwnerOfEmail(tx, wish.email);
  if (existing !== undefined) await rehearse(tx, ask, wish);
  // An unconfirmed account keeps its password: nobody knows yet whose address this is.
  const user = existing ?? (await createByMail(tx, wish, at));
  const action = existing === undefined ? 'user_confirmation_requested' : 'user_repeated_signup';
  await audit(tx, { action, actorId: user.id, address: device.address, traits: { provider: 'email' }, at });
  if (user.email_confirmed_at !== null) return undefined;
  const issued = await issueCode(context, tx, { user, kind: 'signup', challenge: wish.challenge, at });
  return { ...issued, json: await answer(tx, issued.user) };
}

/** The same work for an address nobody has, undone: the answer takes as long whether there is an account or not. */
async function rehearse(tx: Tx, { context, at }: Ask<unknown>, wish: MailSignUp): Promise<void> {
  await tx.query('savepoint rehearsal');
  const user = await createByMail(tx, { ...wish, email: `${randomUUID()}@rehearsal.invalid` }, at);
  const issued = await issueCode(context, tx, { user, kind: 'signup', challenge: wish.challenge, at });
  await answer(tx, issued.user);
  await tx.query('rollback to savepoint rehearsal');
}

function createByMail(tx: Tx, { email, passwordHash, data }: MailSignUp, at: Date): Promise<UserRow> {
  return createAccount(tx, { email, data, at, ...(passwordHash === undefined ? {} : { passwordHash }) });
}

/** What an administrator wrote about somebody invited is not for whoever registers the address. */
async function answer(tx: Tx, user: UserRow): Promise<Json> {
  if (user.invited_at === null) return userJson(user, await identitiesOf(tx, [user.id]));
  return userJson({ ...user, raw_user_meta_data: {} }, []);
}

/** Somebody with a phone number; who asks for a code instead of bringing a password has none. */
export type PhoneSignUp = Readonly<{ phone: string; passwordHash?: string; data: Metadata }>;

/** Where confirmations are off the account counts at once. Throws AuthError where there is one already. */
export async function addPhoneConfirmed(tx: Tx, { device, at }: Ask<unknown>, wish: PhoneSignUp): Promise<UserRow> {
  if ((await findUserByPhone(tx, wish.phone)) !== undefined) throw FAULTS.userExists();
  const user = await confirmPhone(tx, await createByPhone(tx, wish, at), at);
  const traits = { provider: 'phone' };
  await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, traits, at });
  return user;
}

/** An account that waits for a code. Undefined where somebody confirmed has the number, of which nobody may learn. */
export async function prepareByPhone(tx: Tx, ask: Ask<unknown>, wish: PhoneSignUp): Promise<PhoneCode | undefined> {
  const { context, device, at } = ask;
  const existing = await findUserByPhone(tx, wish.phone);
  const user = existing ?? (await createByPhone(tx, wish, at));
  const action = existing === undefined ? 'user_confirmation_requested' : 'user_repeated_signup';
  await audit(tx, { action, actorId: user.id, address: device.address, traits: { provider: 'phone' }, at });
  if (user.phone_confirmed_at !== null) return undefined;
  return issuePhoneCode(context, tx, { user, phone: wish.phone, purpose: 'confirmation', at });
}

function createByPhone(tx: Tx, { phone, passwordHash, data }: PhoneSignUp, at: Date): Promise<UserRow> {
  return createAccount(tx, { phone, data, at, ...(passwordHash === undefined ? {} : { passwordHash }) });
}
