import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { parseEmail, parsePhone } from '../addresses.ts';
import { readQuery, Text } from '../body.ts';
import { ERRORS, invalid } from '../errors.ts';
import { CodeChallengeFields, parseCodeChallenge } from '../flows/code-challenge.ts';
import { sendCodeMail, issueCode, requireMailQuota, sendWithinQuota, takeMailboxQuota } from '../mail/codes.ts';
import { sendEmailChangeMails, startEmailChange } from '../mail/email-change.ts';
import { issuePhoneCode, formatMessageId, takePhoneQuota } from '../phone/codes.ts';
import { resolveRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { findUserByEmail, findUserByPhone, type UserRow } from '../repository/users.ts';
import { publicRoute, type RequestContext } from '../route.ts';

const Body = z.object({ type: Text, email: Text, phone: Text, ...CodeChallengeFields });
type Body = z.infer<typeof Body>;

const TYPES = new Set(['signup', 'email_change', 'sms', 'phone_change']);

/** POST /resend: the last mail or message again. Where there is nothing to send the answer is the same. */
export const resend = publicRoute(
  { method: 'POST', url: '/resend', limit: 'resend', captcha: 'asked', body: Body },
  async (input) => {
    const { context, body } = input;
    validate(input);
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

function validate({ body, context: { auth } }: RequestContext<Body>): void {
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
async function resendMail(input: RequestContext<Body>, email: string): Promise<void> {
  const { context, body, request } = input;
  const redirectTo = resolveRedirect(readQuery(request, 'redirect_to'), context.auth);
  const send = await context.database.asOwner(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (user === undefined) return undefined;
    if (body.type === 'signup') return resendConfirmation(tx, input, user, redirectTo);
    return body.type === 'email_change' ? resendEmailChange(tx, input, user, redirectTo) : undefined;
  });
  if (send !== undefined) await sendWithinQuota(context, 'others', send);
}

type Send = () => Promise<void>;

async function resendConfirmation(
  tx: Tx,
  input: RequestContext<Body>,
  user: UserRow,
  redirectTo: string,
): Promise<Send | undefined> {
  const { context, body, device, at } = input;
  if (user.email_confirmed_at !== null) return undefined;
  await audit(tx, { action: 'user_confirmation_requested', actorId: user.id, address: device.address, at });
  const made = await issueCode(context, tx, { user, kind: 'signup', challenge: parseCodeChallenge(body), at });
  return () => sendCodeMail(context, { to: user.email ?? '', kind: 'signup', made, redirectTo });
}

async function resendEmailChange(
  tx: Tx,
  input: RequestContext<Body>,
  user: UserRow,
  redirectTo: string,
): Promise<Send | undefined> {
  const { context, body, at } = input;
  const email = user.email_change ?? '';
  if (email === '') return undefined;
  const move = await startEmailChange(context, tx, { user, email, challenge: parseCodeChallenge(body), at });
  return () => sendEmailChangeMails(context, move, redirectTo);
}

async function resendSms(input: RequestContext<Body>, phone: string): Promise<unknown> {
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
