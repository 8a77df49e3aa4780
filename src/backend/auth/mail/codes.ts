import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { FAULTS, mailTooSoon } from '../errors.ts';
import { newCode, putToken, type OneTimeCode, type TokenKind } from '../records/one-time-tokens.ts';
import { updateUser, type UserRow } from '../records/users.ts';
import { mailOf, type MailKind } from './texts.ts';

export type CodeKind = Exclude<MailKind, 'email_change'>;

const TOKENS: Readonly<Record<CodeKind, TokenKind>> = {
  signup: 'confirmation_token',
  invite: 'confirmation_token',
  magiclink: 'recovery_token',
  recovery: 'recovery_token',
};

export type IssuedCode = OneTimeCode & Readonly<{ user: UserRow }>;

/** A new code for the user's own address; an older one of the same kind ends. */
export async function issueCode(
  context: AuthContext,
  tx: Tx,
  user: UserRow,
  kind: CodeKind,
  at: Date,
): Promise<IssuedCode> {
  const relatesTo = user.email ?? '';
  const made = newCode(relatesTo, context.auth.email.otp_length);
  const token = TOKENS[kind];
  await putToken(tx, { userId: user.id, kind: token, hash: made.hash, relatesTo, at });
  const sent = token === 'recovery_token' ? { recovery_sent_at: at } : { confirmation_sent_at: at };
  return { ...made, user: await updateUser(tx, user.id, sent, at) };
}

/** The address behind a link in a mail (supabase-contract §1.6). */
export function linkOf(context: AuthContext, hash: string, kind: string, redirectTo: string): string {
  const query = new URLSearchParams({ token: hash, type: kind, redirect_to: redirectTo });
  return `${context.externalUrl}/verify?${query}`;
}

export type Delivery = Readonly<{ to: string; kind: MailKind; made: OneTimeCode; redirectTo: string }>;

export function deliver(context: AuthContext, { to, kind, made, redirectTo }: Delivery): Promise<void> {
  const link = linkOf(context, made.hash, kind, redirectTo);
  return context.mailer.send(mailOf(kind, { to, link, code: made.code, validSeconds: context.auth.email.otp_expiry }));
}

/** One mail to a mailbox in a while, whether it belongs to somebody here or not. Throws AuthError. */
export function takeMailbox(context: AuthContext, email: string): void {
  if (!context.mailboxes.take(email))
    throw mailTooSoon(Math.max(1, Math.ceil(context.mailboxes.waitMs(email) / 1_000)));
}

/** The share of one mail in all mails of an hour. Throws AuthError. */
export function takeMail(context: AuthContext): void {
  if (!context.allMails.take('')) throw FAULTS.mailLimit();
}
