import type { Tx } from '../database/index.ts';
import { changeAccount, confirmEmail, confirmPhone, storeProviders } from './accounts.ts';
import { isBanned } from './authenticate.ts';
import type { AuthContext } from './context.ts';
import { ERRORS, invalid, type AuthError } from './errors.ts';
import { needsBothMailboxes, PKCE_PREFIX } from './mail.ts';
import { audit } from './repository/audit.ts';
import { confirmIdentities, upsertIdentity } from './repository/identities.ts';
import { deleteTokens, lockToken, type OneTimeTokenRow, type TokenKind } from './repository/one-time-tokens.ts';
import type { Device } from './repository/sessions.ts';
import { findUserByPhone, findUserByPhoneChange, lockUser, updateUser, type UserRow } from './repository/users.ts';

/** The answer after the first of two mailboxes has confirmed. */
type HalfConfirmed = Readonly<{ msg: string; code: '200' }>;

export type VerifiedToken = Readonly<{ user: UserRow; token: TokenKind }>;

type TokenUse = VerifiedToken & Readonly<{ shown: ShownToken; device: Device; at: Date }>;

/** `email_change_confirm_status`: the mailbox that has confirmed. */
const AGREED = { new: 1, current: 2 } as const;

/** Verifies a one-time token and applies its effect. Throws AuthError. */
export async function verifyOneTimeToken(
  context: AuthContext,
  tx: Tx,
  shown: ShownToken,
  device: Device,
): Promise<VerifiedToken | HalfConfirmed> {
  const at = new Date(context.now());
  const { user, token } = (await findTestOtp(context, tx, shown)) ?? (await findOwner(context, tx, shown));
  if (isBanned(user, context.now())) throw ERRORS.bannedCaller();
  const changed = await applyToken(context, tx, { user, token, shown, device, at });
  if ('msg' in changed) return changed;
  const known = changed.is_anonymous ? await updateUser(tx, user.id, { is_anonymous: false }, at) : changed;
  return { user: await storeProviders(tx, known, at), token };
}

async function findOwner(context: AuthContext, tx: Tx, shown: ShownToken): Promise<VerifiedToken> {
  const token = await lockShownToken(context, tx, shown);
  const user = await lockUser(tx, token.user_id);
  if (user === undefined) throw tokenExpired(shown.by);
  return { user, token: token.token_type };
}

/** Accepts the fixed code of a number in `[auth.sms.test_otp]`. */
async function findTestOtp(
  { auth }: AuthContext,
  tx: Tx,
  { type, by }: ShownToken,
): Promise<VerifiedToken | undefined> {
  if (by.kind !== 'phone' || auth.sms.test_otp[by.address] !== by.code) return undefined;
  const changes = type === 'phone_change';
  const found = await (changes ? findUserByPhoneChange(tx, by.address) : findUserByPhone(tx, by.address));
  const user = found && (await lockUser(tx, found.id));
  return user && { user, token: changes ? 'phone_change_token' : 'confirmation_token' };
}

async function applyToken(context: AuthContext, tx: Tx, use: TokenUse): Promise<UserRow | HalfConfirmed> {
  const { token, user, shown } = use;
  if (token === 'phone_change_token') return changePhone(tx, use);
  if (token.startsWith('email_change')) return changeEmail(context, tx, use);
  await deleteTokens(tx, user.id);
  return shown.by.kind === 'phone' ? confirmByPhone(tx, use) : confirmByMail(tx, use);
}

async function confirmByMail(tx: Tx, { user, token, device, at }: TokenUse): Promise<UserRow> {
  if (user.email_confirmed_at !== null) return user;
  const action = user.invited_at === null ? 'user_signedup' : 'invite_accepted';
  await audit(tx, { action, actorId: user.id, address: device.address, traits: { provider: 'email' }, at });
  if (token === 'confirmation_token') await confirmIdentities(tx, user.id, user.email ?? '', at);
  return confirmEmail(tx, user, at);
}

async function confirmByPhone(tx: Tx, { user, device, at }: TokenUse): Promise<UserRow> {
  if (user.phone_confirmed_at !== null) return user;
  const traits = { provider: 'phone' };
  await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, traits, at });
  return confirmPhone(tx, user, at);
}

async function changeEmail(context: AuthContext, tx: Tx, use: TokenUse): Promise<UserRow | HalfConfirmed> {
  const { user, token, device, at } = use;
  const mailbox = token === 'email_change_token_new' ? AGREED.new : AGREED.current;
  const agreed = user.email_change_confirm_status ?? 0;
  // Two confirmations by the same mailbox count once.
  if (needsBothMailboxes(context, user) && (agreed === 0 || agreed === mailbox)) {
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
  const data = { email: moved.email, email_verified: true };
  await upsertIdentity(tx, { provider: 'email', userId: user.id, data, at });
  await audit(tx, { action: 'user_modified', actorId: user.id, address: device.address, at });
  return confirmEmail(tx, moved, at);
}

async function changePhone(tx: Tx, { user, device, at }: TokenUse): Promise<UserRow> {
  await deleteTokens(tx, user.id);
  const change = { phone: user.phone_change, phone_change: '', phone_change_sent_at: null, phone_confirmed_at: null };
  const moved = await changeAccount(tx, user.id, change, at);
  const data = { phone: moved.phone, phone_verified: true };
  await upsertIdentity(tx, { provider: 'phone', userId: user.id, data, at });
  await audit(tx, { action: 'user_modified', actorId: user.id, address: device.address, at });
  return confirmPhone(tx, moved, at);
}

/** The proof of a passwordless login: the token of a link, or a code with the address it was sent to. */
type ShownToken = Readonly<{ type: string; by: Evidence }>;

export type Evidence =
  | Readonly<{ kind: 'link'; hash: string }>
  | Readonly<{ kind: 'email' | 'phone'; address: string; code: string }>;

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

/** Locks the stored token until the transaction ends. Throws AuthError. */
async function lockShownToken(context: AuthContext, tx: Tx, shown: ShownToken): Promise<OneTimeTokenRow> {
  const { by } = shown;
  const kinds = (by.kind === 'phone' ? BY_PHONE : BY_MAIL).get(shown.type);
  if (kinds === undefined) throw by.kind === 'link' ? invalid('Invalid email verification type') : ERRORS.codeExpired();
  const token = await lockToken(tx, hashEvidence(context, by), kinds);
  // The hash of a phone code must not confirm an e-mail address, though both are confirmation tokens.
  const isTheirs = by.kind === 'link' ? token?.relates_to.includes('@') : token?.relates_to === by.address;
  if (token === undefined || isTheirs !== true || isExpired(context, by.kind, token)) throw tokenExpired(by);
  return token;
}

function tokenExpired(by: Evidence): AuthError {
  return by.kind === 'link' ? ERRORS.linkExpired() : ERRORS.codeExpired();
}

function hashEvidence({ codes }: AuthContext, by: Evidence): string[] {
  if (by.kind === 'link') return [by.hash];
  const hash = codes.hash(by.address, by.code);
  return [hash, `${PKCE_PREFIX}${hash}`];
}

export function isExpired({ auth, now }: AuthContext, by: Evidence['kind'], token: OneTimeTokenRow): boolean {
  const seconds = by === 'phone' ? auth.sms.otp_expiry : auth.email.otp_expiry;
  return now() > token.created_at.getTime() + seconds * 1_000;
}
