import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import type { CodeChallenge } from '../flows/code-challenge.ts';
import type { OneTimeCode } from '../one-time-codes.ts';
import { insertFlow } from '../repository/flows.ts';
import { upsertToken } from '../repository/one-time-tokens.ts';
import { updateUser, type UserRow } from '../repository/users.ts';
import { sendCodeMail, markPkceToken } from './codes.ts';

/** The codes for the new mailbox and, where both must confirm, for the present one. */
type EmailChange = Readonly<{ user: UserRow; forNew: OneTimeCode; current: OneTimeCode | undefined }>;

type EmailChangeRequest = Readonly<{ user: UserRow; email: string; challenge: CodeChallenge | undefined; at: Date }>;

/** Stores the requested address; verifying the codes changes it (sessions/verify-token.ts). */
export async function startEmailChange(
  context: AuthContext,
  tx: Tx,
  request: EmailChangeRequest,
): Promise<EmailChange> {
  const { user, email, challenge, at } = request;
  const noted = await storeEmailChange(tx, user, email, at);
  if (challenge !== undefined) {
    await insertFlow(tx, { method: 'email_change', provider: 'email_change', challenge, userId: user.id, at });
  }
  const issue = (mailbox: 'new' | 'current'): Promise<OneTimeCode> =>
    issueChangeCode(context, tx, { user: noted, mailbox, challenge, at });
  return {
    user: noted,
    current: needsBothMailboxes(context, user) ? await issue('current') : undefined,
    forNew: await issue('new'),
  };
}

/** Whether the present mailbox must confirm, too. */
export function needsBothMailboxes(context: AuthContext, user: UserRow): boolean {
  return context.auth.email.double_confirm_changes && user.email !== null && user.email !== '';
}

/** Resets the confirmations where the requested address changes, since they hold for one address only. */
export async function storeEmailChange(tx: Tx, user: UserRow, email: string, at: Date): Promise<UserRow> {
  const isSame = user.email_change === email;
  const email_change_confirm_status = isSame ? user.email_change_confirm_status : 0;
  return updateUser(tx, user.id, { email_change: email, email_change_sent_at: at, email_change_confirm_status }, at);
}

type ChangeCode = Readonly<{
  user: UserRow;
  mailbox: 'new' | 'current';
  challenge?: CodeChallenge | undefined;
  at: Date;
}>;

export async function issueChangeCode(
  context: AuthContext,
  tx: Tx,
  { user, mailbox, challenge, at }: ChangeCode,
): Promise<OneTimeCode> {
  const relatesTo = (mailbox === 'new' ? user.email_change : user.email) ?? '';
  const made = markPkceToken(context.codes.issue(relatesTo, context.auth.email.otp_length), challenge);
  await upsertToken(tx, { userId: user.id, kind: `email_change_token_${mailbox}`, hash: made.hash, relatesTo, at });
  return made;
}

export async function sendEmailChangeMails(
  context: AuthContext,
  change: EmailChange,
  redirectTo: string,
): Promise<void> {
  const { user, forNew, current } = change;
  await sendCodeMail(context, { to: user.email_change ?? '', kind: 'email_change', made: forNew, redirectTo });
  if (current === undefined) return;
  await sendCodeMail(context, { to: user.email ?? '', kind: 'email_change', made: current, redirectTo });
}
