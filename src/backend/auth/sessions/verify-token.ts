import type { Tx } from '../../database/index.ts';
import { changeAccount, confirmEmail, confirmPhone, noteProviders } from '../accounts.ts';
import { isBanned } from '../authenticate.ts';
import type { AuthContext } from '../context.ts';
import { FAULTS, invalid, type AuthError } from '../errors.ts';
import { PKCE_PREFIX } from '../mail/codes.ts';
import { needsBoth } from '../mail/email-change.ts';
import { audit } from '../repository/audit.ts';
import { putIdentity } from '../repository/identities.ts';
import { deleteTokens, lockToken, type OneTimeTokenRow, type TokenKind } from '../repository/one-time-tokens.ts';
import type { Device } from '../repository/sessions.ts';
import { findUserByPhone, findUserByPhoneChange, lockUser, updateUser, type UserRow } from '../repository/users.ts';

/** The answer where one of two mailboxes has confirmed. */
type HalfConfirmed = Readonly<{ msg: string; code: '200' }>;

export type Proven = Readonly<{ user: UserRow; token: TokenKind }>;

type Spending = Proven & Readonly<{ proof: Proof; device: Device; at: Date }>;

/** `email_change_confirm_status`: which of two mailboxes has agreed. */
const AGREED = { new: 1, current: 2 } as const;

/** Spends a one-time token and does what it was sent for. Throws AuthError. */
export async function spendToken(
  context: AuthContext,
  tx: Tx,
  proof: Proof,
  device: Device,
): Promise<Proven | HalfConfirmed> {
  const at = new Date(context.now());
  const { user, token } = (await testOtp(context, tx, proof)) ?? (await owner(context, tx, proof));
  if (isBanned(user, context.now())) throw FAULTS.bannedCaller();
  const proven = await apply(context, tx, { user, token, proof, device, at });
  if ('msg' in proven) return proven;
  const known = proven.is_anonymous ? await updateUser(tx, user.id, { is_anonymous: false }, at) : proven;
  return { user: await noteProviders(tx, known, at), token };
}

async function owner(context: AuthContext, tx: Tx, proof: Proof): Promise<Proven> {
  const token = await lockProven(context, tx, proof);
  const user = await lockUser(tx, token.user_id);
  if (user === undefined) throw refusal(proof.by);
  return { user, token: token.token_type };
}

/** `[auth.sms.test_otp]`: numbers that always have the same code. */
async function testOtp({ auth }: AuthContext, tx: Tx, { type, by }: Proof): Promise<Proven | undefined> {
  if (by.kind !== 'phone' || auth.sms.test_otp[by.phone] !== by.code) return undefined;
  const changes = type === 'phone_change';
  const found = await (changes ? findUserByPhoneChange(tx, by.phone) : findUserByPhone(tx, by.phone));
  const user = found && (await lockUser(tx, found.id));
  return user && { user, token: changes ? 'phone_change_token' : 'confirmation_token' };
}

async function apply(context: AuthContext, tx: Tx, spending: Spending): Promise<UserRow | HalfConfirmed> {
  const { token, user, proof } = spending;
  if (token === 'phone_change_token') return movePhone(tx, spending);
  if (token.startsWith('email_change')) return moveEmail(context, tx, spending);
  await deleteTokens(tx, user.id);
  return proof.by.kind === 'phone' ? enterByPhone(tx, spending) : enterByMail(tx, spending);
}

async function enterByMail(tx: Tx, { user, device, at }: Spending): Promise<UserRow> {
  if (user.email_confirmed_at !== null) return user;
  const action = user.invited_at === null ? 'user_signedup' : 'invite_accepted';
  await audit(tx, { action, actorId: user.id, address: device.address, traits: { provider: 'email' }, at });
  return confirmEmail(tx, user, at);
}

async function enterByPhone(tx: Tx, { user, device, at }: Spending): Promise<UserRow> {
  if (user.phone_confirmed_at !== null) return user;
  const traits = { provider: 'phone' };
  await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, traits, at });
  return confirmPhone(tx, user, at);
}

async function moveEmail(context: AuthContext, tx: Tx, spending: Spending): Promise<UserRow | HalfConfirmed> {
  const { user, token, device, at } = spending;
  const mailbox = token === 'email_change_token_new' ? AGREED.new : AGREED.current;
  const agreed = user.email_change_confirm_status ?? 0;
  // The same mailbox agreeing twice, after a new mail, is still one mailbox.
  if (needsBoth(context, user) && (agreed === 0 || agreed === mailbox)) {
    await deleteTokens(tx, user.id, [token]);
    await updateUser(tx, user.id, { email_change_confirm_status: mailbox }, at);
    return { msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email', code: '200' };
  }
  await deleteTokens(tx, user.id);
  const change = {
    email: user.email_change,
    email_change: '',
    email_change_sent_at: null,
    email_change_confirm_status: 0,
  };
  const moved = await changeAccount(tx, user.id, change, at);
  await putIdentity(tx, { provider: 'email', userId: user.id, data: { email: moved.email }, at });
  await audit(tx, { action: 'user_modified', actorId: user.id, address: device.address, at });
  return confirmEmail(tx, moved, at);
}

async function movePhone(tx: Tx, { user, device, at }: Spending): Promise<UserRow> {
  await deleteTokens(tx, user.id);
  const change = { phone: user.phone_change, phone_change: '', phone_change_sent_at: null, phone_confirmed_at: null };
  const moved = await changeAccount(tx, user.id, change, at);
  await audit(tx, { action: 'user_modified', actorId: user.id, address: device.address, at });
  return confirmPhone(tx, moved, at);
}

/**
 * What somebody shows who wants in without a password: the token of a link, or a code with the address it was sent to.
 */
type Proof = Readonly<{ type: string; by: Evidence }>;

export type Evidence =
  | Readonly<{ kind: 'link'; hash: string }>
  | Readonly<{ kind: 'email'; email: string; code: string }>
  | Readonly<{ kind: 'phone'; phone: string; code: string }>;

const BY_MAIL: ReadonlyMap<string, readonly TokenKind[]> = new Map([
  ['signup', ['confirmation_token']],
  ['invite', ['confirmation_token']],
  ['magiclink', ['recovery_token']],
  ['recovery', ['recovery_token']],
  ['email', ['confirmation_token', 'recovery_token']],
  ['email_change', ['email_change_token_new', 'email_change_token_current']],
]);

const BY_PHONE: ReadonlyMap<string, readonly TokenKind[]> = new Map([
  ['sms', ['confirmation_token']],
  ['phone_change', ['phone_change_token']],
]);

/** The stored token that was shown, held until the transaction ends. Throws AuthError. */
async function lockProven(context: AuthContext, tx: Tx, proof: Proof): Promise<OneTimeTokenRow> {
  const { by } = proof;
  const kinds = (by.kind === 'phone' ? BY_PHONE : BY_MAIL).get(proof.type);
  if (kinds === undefined) throw by.kind === 'link' ? invalid('Invalid email verification type') : FAULTS.codeExpired();
  const token = await lockToken(tx, hashesOf(context, by), kinds);
  // The hash of a code sent to a phone must not open what is proved by mail, though both are confirmation tokens.
  const wrongWay = token !== undefined && by.kind === 'link' && !token.relates_to.includes('@');
  if (token === undefined || wrongWay || isOver(context, by, token)) throw refusal(by);
  return token;
}

function refusal(by: Evidence): AuthError {
  return by.kind === 'link' ? FAULTS.linkExpired() : FAULTS.codeExpired();
}

function hashesOf({ codes }: AuthContext, by: Evidence): string[] {
  if (by.kind === 'link') return [by.hash];
  const hash = codes.hashOf(by.kind === 'email' ? by.email : by.phone, by.code);
  return [hash, `${PKCE_PREFIX}${hash}`];
}

function isOver({ auth, now }: AuthContext, by: Evidence, token: OneTimeTokenRow): boolean {
  const seconds = by.kind === 'phone' ? auth.sms.otp_expiry : auth.email.otp_expiry;
  return now() > token.created_at.getTime() + seconds * 1_000;
}
