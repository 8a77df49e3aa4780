import type { Tx } from '../../database/index.ts';
import { changeAccount, confirmEmail } from '../accounts.ts';
import { isBanned } from '../authenticate.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, FAULTS, invalid } from '../errors.ts';
import { needsBoth } from '../mail/email-change.ts';
import { audit } from '../records/audit.ts';
import { deleteTokens, lockToken, type OneTimeTokenRow, type TokenKind } from '../records/one-time-tokens.ts';
import type { Device } from '../records/sessions.ts';
import { lockUser, updateUser, type UserRow } from '../records/users.ts';
import { openSession, type SessionJson } from './issue.ts';

const KINDS: Readonly<Record<string, readonly TokenKind[]>> = {
  signup: ['confirmation_token'],
  invite: ['confirmation_token'],
  magiclink: ['recovery_token'],
  recovery: ['recovery_token'],
  email: ['confirmation_token', 'recovery_token'],
  email_change: ['email_change_token_new', 'email_change_token_current'],
};

/** `email_change_confirm_status`: which of two mailboxes has agreed. */
const AGREED = { new: 1, current: 2 } as const;

/** The answer where one of two mailboxes has confirmed. */
export type HalfConfirmed = Readonly<{ msg: string; code: '200' }>;

export type Proof = Readonly<{ type: string; hash: string; expired: () => AuthError; device: Device }>;

/** Spends a one-time token and opens a session for its user. Throws AuthError. */
export async function spendToken(context: AuthContext, proof: Proof): Promise<SessionJson | HalfConfirmed> {
  const kinds = KINDS[proof.type];
  if (proof.type === '') throw invalid('Verify requires a verification type');
  if (kinds === undefined) throw invalid('Unsupported verification type');
  return context.database.asOwner(async (tx) => {
    const at = new Date(context.now());
    const token = await lockToken(tx, proof.hash, kinds);
    if (token === undefined || isOver(token, context)) throw proof.expired();
    const user = await lockUser(tx, token.user_id);
    if (user === undefined) throw proof.expired();
    if (isBanned(user, context.now())) throw FAULTS.bannedCaller();
    const proven = await apply(context, tx, { user, token, proof, at });
    return 'msg' in proven ? proven : openSession(context, tx, { user: proven, method: 'otp', device: proof.device });
  });
}

function isOver(token: OneTimeTokenRow, context: AuthContext): boolean {
  return context.now() > token.created_at.getTime() + context.auth.email.otp_expiry * 1_000;
}

type Spending = Readonly<{ user: UserRow; token: OneTimeTokenRow; proof: Proof; at: Date }>;

async function apply(context: AuthContext, tx: Tx, spending: Spending): Promise<UserRow | HalfConfirmed> {
  const { user, token, proof, at } = spending;
  if (proof.type === 'email_change') return applyEmailChange(context, tx, spending);
  await deleteTokens(tx, user.id, [token.token_type]);
  if (user.email_confirmed_at !== null) return user;
  const action = user.invited_at === null ? 'user_signedup' : 'invite_accepted';
  await audit(tx, { action, actorId: user.id, address: proof.device.address, at });
  return confirmEmail(tx, user, at);
}

async function applyEmailChange(context: AuthContext, tx: Tx, spending: Spending): Promise<UserRow | HalfConfirmed> {
  const { user, token, proof, at } = spending;
  const mailbox = token.token_type === 'email_change_token_new' ? AGREED.new : AGREED.current;
  const agreed = user.email_change_confirm_status ?? 0;
  // The same mailbox agreeing twice, after a new mail, is still one mailbox.
  if (needsBoth(context, user) && (agreed === 0 || agreed === mailbox)) {
    await deleteTokens(tx, user.id, [token.token_type]);
    await updateUser(tx, user.id, { email_change_confirm_status: mailbox }, at);
    return { msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email', code: '200' };
  }
  await deleteTokens(tx, user.id, KINDS['email_change']);
  const change = {
    email: user.email_change,
    email_change: '',
    email_change_sent_at: null,
    email_change_confirm_status: 0,
  };
  const moved = await changeAccount(tx, user.id, change, at);
  await audit(tx, { action: 'user_modified', actorId: user.id, address: proof.device.address, at });
  return confirmEmail(tx, moved, at);
}
