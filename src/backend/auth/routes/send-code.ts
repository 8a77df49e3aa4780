import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { parseEmail, parsePhone } from '../addresses.ts';
import { CodeChallengeFields, parseCodeChallenge } from '../auth-code.ts';
import type { SignedIn } from '../authenticate.ts';
import { Text } from '../body.ts';
import { ERRORS, invalid } from '../errors.ts';
import {
  admitMail,
  issueCode,
  requireMailQuota,
  sendCodeMail,
  sendEmailChangeMails,
  sendReauthenticationMail,
  startEmailChange,
  takeMailboxQuota,
  takeMailQuota,
} from '../mail.ts';
import { formatMessageId, issuePhoneCode, takePhoneQuota } from '../phone/codes.ts';
import { readRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import type { CodeChallenge } from '../repository/flows.ts';
import { upsertToken } from '../repository/one-time-tokens.ts';
import { findUserByEmail, findUserByPhone, updateUser, type UserRow } from '../repository/users.ts';
import { publicRoute, userRoute, type RequestContext } from '../route.ts';

const RecoverBody = z.object({ email: Text, ...CodeChallengeFields });
type RecoverBody = z.infer<typeof RecoverBody>;

/** POST /recover: a link to a new password. Known and unknown addresses cost the same and get the same answer. */
export const recover = publicRoute(
  { method: 'POST', url: '/recover', limit: 'recover', captcha: 'asked', body: RecoverBody },
  async (input) => {
    const { context, request, body } = input;
    if (!context.auth.email.enable_signup) throw ERRORS.emailMailsDisabled();
    if (body.email === '') throw invalid('Password recovery requires an email');
    const email = parseEmail(body.email);
    const challenge = parseCodeChallenge(body);
    const redirectTo = readRedirect(request, context.auth);
    await takeMailboxQuota(context, email);
    // Runs in the background, since its duration would reveal whether an account exists.
    context.background(sendRecovery(input, { email, challenge, redirectTo }));
    return {};
  },
);

type Recovery = Readonly<{ email: string; challenge: CodeChallenge | undefined; redirectTo: string }>;

async function sendRecovery(
  input: RequestContext<RecoverBody>,
  { email, challenge, redirectTo }: Recovery,
): Promise<void> {
  const { context, device, at } = input;
  const made = await context.database.asOwner(async (tx) => {
    const user = await findUserByEmail(tx, email);
    await audit(tx, { action: 'user_recovery_requested', actorId: user?.id, address: device.address, at });
    if (user === undefined || !(await admitMail(context, 'recovery', tx))) return undefined;
    return issueCode(context, tx, { user, kind: 'recovery', challenge, at });
  });
  if (made === undefined) return;
  await sendCodeMail(context, { to: email, kind: 'recovery', made, redirectTo });
}

/** GET /reauthenticate: sends a code that replaces a recent login when the password changes (PUT /user, `nonce`). */
export const reauthenticate = userRoute({ method: 'GET', url: '/reauthenticate', limit: 'user' }, async (input, me) => {
  const { email, phone, email_confirmed_at, phone_confirmed_at } = me.user;
  if (email !== null && email !== '') {
    if (email_confirmed_at === null) throw ERRORS.verifyEmailFirst();
    return byMail(input, me, email);
  }
  if (phone === null || phone === '') {
    throw invalid('Reauthentication requires the user to have an email or a phone number');
  }
  if (phone_confirmed_at === null) throw ERRORS.verifyPhoneFirst();
  return byPhone(input, me, phone);
});

async function byMail({ context, device, at }: RequestContext, { user }: SignedIn, email: string): Promise<unknown> {
  await takeMailboxQuota(context, email);
  await takeMailQuota(context, 'others');
  const made = context.codes.issue(email, context.auth.email.otp_length);
  await context.database.asOwner(async (tx) => {
    await audit(tx, { action: 'user_reauthenticate_requested', actorId: user.id, address: device.address, at });
    await updateUser(tx, user.id, { reauthentication_sent_at: at }, at);
    await upsertToken(tx, { userId: user.id, kind: 'reauthentication_token', hash: made.hash, relatesTo: email, at });
  });
  await sendReauthenticationMail(context, email, made);
  return {};
}

async function byPhone({ context, device, at }: RequestContext, { user }: SignedIn, phone: string): Promise<unknown> {
  takePhoneQuota(context, phone);
  const code = await context.database.asOwner(async (tx) => {
    await audit(tx, { action: 'user_reauthenticate_requested', actorId: user.id, address: device.address, at });
    return issuePhoneCode(context, tx, { user, phone, purpose: 'reauthentication', at });
  });
  await code.send();
  return formatMessageId(code);
}

const ResendBody = z.object({ type: Text, email: Text, phone: Text, ...CodeChallengeFields });
type ResendBody = z.infer<typeof ResendBody>;

const TYPES = new Set(['signup', 'email_change', 'sms', 'phone_change']);

/** POST /resend: the last mail or message again. Where there is nothing to send the answer is the same. */
export const resend = publicRoute(
  { method: 'POST', url: '/resend', limit: 'resend', captcha: 'asked', body: ResendBody },
  async (input) => {
    const { context, body } = input;
    validateResend(input);
    if (body.email !== '') {
      const email = parseEmail(body.email);
      await takeMailboxQuota(context, email);
      await requireMailQuota(context);
      context.background(resendMail(input, email));
      return {};
    }
    const phone = parsePhone(body.phone);
    takePhoneQuota(context, phone);
    return resendSms(input, phone);
  },
);

function validateResend({ body, context: { auth } }: RequestContext<ResendBody>): void {
  if (!TYPES.has(body.type)) throw invalid('Missing one of these types: signup, email_change, sms, phone_change');
  if (body.type === 'signup' || body.type === 'email_change') parseCodeChallenge(body);
  if (body.email === '' && body.type === 'signup') throw invalid('Type provided requires an email address');
  if (body.phone === '' && body.type === 'sms') throw invalid('Type provided requires a phone number');
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided.');
  }
  if (body.email === '' && body.phone === '') throw invalid('Missing email address or phone number');
  if (body.email !== '' && !auth.email.enable_signup) throw ERRORS.emailMailsDisabled();
  if (body.phone !== '' && !auth.sms.enable_signup) throw ERRORS.phoneResendDisabled();
}

/** Does all the work after the answer, so that the answer takes the same time with and without an account. */
async function resendMail(input: RequestContext<ResendBody>, email: string): Promise<void> {
  const { context, body, request } = input;
  const redirectTo = readRedirect(request, context.auth);
  const send = await context.database.asOwner(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (user === undefined) return undefined;
    if (body.type === 'signup') return resendConfirmation(tx, input, user, redirectTo);
    return body.type === 'email_change' ? resendEmailChange(tx, input, user, redirectTo) : undefined;
  });
  await send?.();
}

type Send = () => Promise<void>;

async function resendConfirmation(
  tx: Tx,
  input: RequestContext<ResendBody>,
  user: UserRow,
  redirectTo: string,
): Promise<Send | undefined> {
  const { context, body, device, at } = input;
  if (user.email_confirmed_at !== null || !(await admitMail(context, 'others', tx))) return undefined;
  await audit(tx, { action: 'user_confirmation_requested', actorId: user.id, address: device.address, at });
  const made = await issueCode(context, tx, { user, kind: 'signup', challenge: parseCodeChallenge(body), at });
  return () => sendCodeMail(context, { to: user.email ?? '', kind: 'signup', made, redirectTo });
}

async function resendEmailChange(
  tx: Tx,
  input: RequestContext<ResendBody>,
  user: UserRow,
  redirectTo: string,
): Promise<Send | undefined> {
  const { context, body, at } = input;
  const email = user.email_change ?? '';
  if (email === '' || !(await admitMail(context, 'others', tx))) return undefined;
  const move = await startEmailChange(context, tx, { user, email, challenge: parseCodeChallenge(body), at });
  return () => sendEmailChangeMails(context, move, redirectTo);
}

async function resendSms(input: RequestContext<ResendBody>, phone: string): Promise<unknown> {
  const { context, body, device, at } = input;
  const code = await context.database.asOwner(async (tx) => {
    const user = await findUserByPhone(tx, phone);
    if (user === undefined) return undefined;
    if (body.type === 'sms' && user.phone_confirmed_at === null) {
      await audit(tx, { action: 'user_recovery_requested', actorId: user.id, address: device.address, at });
      return issuePhoneCode(context, tx, { user, phone, purpose: 'confirmation', at });
    }
    const next = user.phone_change ?? '';
    if (body.type !== 'phone_change' || next === '') return undefined;
    return issuePhoneCode(context, tx, { user, phone: next, purpose: 'phone_change', at });
  });
  await code?.send();
  return code === undefined ? {} : formatMessageId(code);
}
