import type { Tx } from '../database/index.ts';
import type { AuthContext, MailKind } from './context.ts';
import { ERRORS, tooSoon } from './errors.ts';
import type { OneTimeCode } from './one-time-codes.ts';
import { insertFlow, type FlowMethod, type CodeChallenge } from './repository/flows.ts';
import { upsertToken, type TokenKind } from './repository/one-time-tokens.ts';
import { updateUser, type UserRow } from './repository/users.ts';

export type CodeKind = 'signup' | 'invite' | 'magiclink' | 'recovery';

const ISSUES: Readonly<Record<CodeKind, Readonly<{ token: TokenKind; flow: FlowMethod; provider: string }>>> = {
  signup: { token: 'confirmation_token', flow: 'email/signup', provider: 'email' },
  invite: { token: 'confirmation_token', flow: 'invite', provider: 'email' },
  magiclink: { token: 'recovery_token', flow: 'magiclink', provider: 'magiclink' },
  recovery: { token: 'recovery_token', flow: 'recovery', provider: 'recovery' },
};

export type IssuedCode = OneTimeCode & Readonly<{ user: UserRow }>;

type CodeRequest = Readonly<{ user: UserRow; kind: CodeKind; challenge?: CodeChallenge | undefined; at: Date }>;

/** Issues a code for the user's own address and replaces an older one of the same kind. */
export async function issueCode(context: AuthContext, tx: Tx, request: CodeRequest): Promise<IssuedCode> {
  const { user, kind, challenge, at } = request;
  const { token, flow, provider } = ISSUES[kind];
  const relatesTo = user.email ?? '';
  const made = markPkceToken(context.codes.issue(relatesTo, context.auth.email.otp_length), challenge);
  const sent = token === 'recovery_token' ? { recovery_sent_at: at } : { confirmation_sent_at: at };
  const noted = await updateUser(tx, user.id, sent, at);
  await upsertToken(tx, { userId: user.id, kind: token, hash: made.hash, relatesTo, at });
  if (challenge !== undefined) await insertFlow(tx, { method: flow, provider, challenge, userId: user.id, at });
  return { ...made, user: noted };
}

/** Prefix of link tokens that lead to an auth code instead of a session. */
export const PKCE_PREFIX = 'pkce_';

function markPkceToken(made: OneTimeCode, challenge: CodeChallenge | undefined): OneTimeCode {
  return challenge === undefined ? made : { ...made, hash: `${PKCE_PREFIX}${made.hash}` };
}

/** The address behind a link in a mail (supabase-contract §1.6). */
export function buildLink(context: AuthContext, hash: string, kind: string, redirectTo: string): string {
  const query = new URLSearchParams({ token: hash, type: kind, redirect_to: redirectTo });
  return `${context.externalUrl}/verify?${query}`;
}

type Delivery = Readonly<{ to: string; kind: MailKind; made: OneTimeCode; redirectTo: string }>;

export function sendCodeMail(context: AuthContext, { to, kind, made, redirectTo }: Delivery): Promise<void> {
  const link = buildLink(context, made.hash, kind, redirectTo);
  return context.mailer.send({ kind, to, link, code: made.code, validSeconds: context.auth.email.otp_expiry });
}

/** Sends a code without a link, for a form that is already open. */
export function sendReauthenticationMail(context: AuthContext, to: string, { code }: OneTimeCode): Promise<void> {
  return context.mailer.send({ kind: 'reauthentication', to, code, validSeconds: context.auth.email.otp_expiry });
}

/** Limits the mails to one mailbox, whether it has an account or not. Throws AuthError. */
export async function takeMailboxQuota(context: AuthContext, email: string, tx?: Tx): Promise<void> {
  const waitMs = await context.mailboxQuota.take(email, tx);
  if (waitMs > 0) throw tooSoon('email', waitMs);
}

/** Each quota has its own `email_sent` mails an hour, so that requests of strangers never use up the other two. */
type MailQuota = 'others' | 'recovery' | 'invitation';

/** Takes one mail from the hourly quota. Throws AuthError. */
export async function takeMailQuota(context: AuthContext, quota: MailQuota, tx?: Tx): Promise<void> {
  if ((await context.mailQuota.take(quota, tx)) > 0) throw ERRORS.mailLimit();
}

/** Throws AuthError where the hourly quota is used up; takes nothing, so that all requests get the same answer. */
export async function requireMailQuota(context: AuthContext): Promise<void> {
  if ((await context.mailQuota.waitMs('others')) > 0) throw ERRORS.mailLimit();
}

/**
 * Takes one mail from the hourly quota; `false` and a warning where it is used up. Asked before a code is issued, since
 * each code replaces the one in an earlier mail: requests of strangers would make that mail worthless.
 */
export async function admitMail(context: AuthContext, quota: MailQuota, tx: Tx): Promise<boolean> {
  if ((await context.mailQuota.take(quota, tx)) === 0) return true;
  context.log.warn({ quota }, 'mail not sent: hourly quota used up');
  return false;
}

type EmailChangeRequest = Readonly<{ user: UserRow; email: string; challenge: CodeChallenge | undefined; at: Date }>;

/** Stores the requested address; verifying the codes changes it (verify-one-time-token.ts). */
export async function startEmailChange(context: AuthContext, tx: Tx, request: EmailChangeRequest) {
  const { user, email, challenge, at } = request;
  const noted = await storeEmailChange(tx, user, email, at);
  if (challenge !== undefined) {
    await insertFlow(tx, { method: 'email_change', provider: 'email_change', challenge, userId: user.id, at });
  }
  const issue = (mailbox: 'new' | 'current'): Promise<OneTimeCode> =>
    issueChangeCode(context, tx, { user: noted, mailbox, challenge, at });
  return {
    user: noted,
    /** The code for the present mailbox, where both must confirm. */
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
  change: Awaited<ReturnType<typeof startEmailChange>>,
  redirectTo: string,
): Promise<void> {
  const { user, forNew, current } = change;
  await sendCodeMail(context, { to: user.email_change ?? '', kind: 'email_change', made: forNew, redirectTo });
  if (current === undefined) return;
  await sendCodeMail(context, { to: user.email ?? '', kind: 'email_change', made: current, redirectTo });
}
