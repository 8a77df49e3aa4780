import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { newCode, putToken, type OneTimeCode } from '../records/one-time-tokens.ts';
import { updateUser, type UserRow } from '../records/users.ts';
import { deliver } from './codes.ts';

/** Codes for the new mailbox and, where both must agree, for the present one. */
export type EmailChange = Readonly<{ user: UserRow; fresh: OneTimeCode; current: OneTimeCode | undefined }>;

/** Notes the wish; the address changes when the codes come back (sessions/verify.ts). */
export async function startEmailChange(
  context: AuthContext,
  tx: Tx,
  user: UserRow,
  email: string,
  at: Date,
): Promise<EmailChange> {
  const noted = await noteWish(tx, user, email, at);
  const current = needsBoth(context, user) ? await issueChangeCode(context, tx, noted, 'current', at) : undefined;
  return { user: noted, fresh: await issueChangeCode(context, tx, noted, 'new', at), current };
}

/** Whether the present mailbox has a say. */
export function needsBoth(context: AuthContext, user: UserRow): boolean {
  return context.auth.email.double_confirm_changes && user.email !== null && user.email !== '';
}

/** What both mailboxes have said so far counts for one new address only. */
export async function noteWish(tx: Tx, user: UserRow, email: string, at: Date): Promise<UserRow> {
  const sameWish = user.email_change === email;
  const email_change_confirm_status = sameWish ? user.email_change_confirm_status : 0;
  return updateUser(tx, user.id, { email_change: email, email_change_sent_at: at, email_change_confirm_status }, at);
}

export async function issueChangeCode(
  context: AuthContext,
  tx: Tx,
  user: UserRow,
  mailbox: 'new' | 'current',
  at: Date,
): Promise<OneTimeCode> {
  const relatesTo = (mailbox === 'new' ? user.email_change : user.email) ?? '';
  const made = newCode(relatesTo, context.auth.email.otp_length);
  await putToken(tx, { userId: user.id, kind: `email_change_token_${mailbox}`, hash: made.hash, relatesTo, at });
  return made;
}

export async function mailEmailChange(context: AuthContext, change: EmailChange, redirectTo: string): Promise<void> {
  const { user, fresh, current } = change;
  await deliver(context, { to: user.email_change ?? '', kind: 'email_change', made: fresh, redirectTo });
  if (current === undefined) return;
  await deliver(context, { to: user.email ?? '', kind: 'email_change', made: current, redirectTo });
}
