import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { parseEmail, parsePhone } from '../addresses.ts';
import { Data, Text } from '../body.ts';
import { ERRORS, invalid } from '../errors.ts';
import { CodeChallengeFields, parseCodeChallenge } from '../auth-code.ts';
import { admitMail, issueCode, requireMailQuota, sendCodeMail, takeMailboxQuota, type IssuedCode } from '../mail.ts';
import { requireKnownChannel, issuePhoneCode, formatMessageId, takePhoneQuota } from '../phone/codes.ts';
import { readRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import type { CodeChallenge } from '../repository/flows.ts';
import { findUserByEmail, findUserByPhone, type UserRow } from '../repository/users.ts';
import { publicRoute, type RequestContext } from '../route.ts';
import {
  addConfirmed,
  requestConfirmationByMail,
  requestConfirmationByPhone,
  type MailSignUp,
  type PhoneSignUp,
} from '../sign-up.ts';

const Body = z.object({
  email: Text,
  phone: Text,
  data: Data,
  create_user: z
    .boolean()
    .nullish()
    .transform((value) => value ?? true),
  channel: Text,
  ...CodeChallengeFields,
});
type Body = z.infer<typeof Body>;

/** POST /otp: a link and a code by mail, or a code by text message; a new user gets an account with it. */
export const otp = publicRoute(
  { method: 'POST', url: '/otp', limit: 'otp', captcha: 'asked', body: Body },
  async (input) => {
    const { body } = input;
    if (body.email !== '' && body.phone !== '')
      throw invalid('Only an email address or phone number should be provided');
    if (body.email !== '' && body.channel !== '') throw invalid('Channel should only be specified with Phone OTP');
    const challenge = parseCodeChallenge(body);
    const email = body.email === '' ? '' : parseEmail(body.email);
    const phone = body.phone === '' ? '' : parsePhone(body.phone);
    if (email !== '') return sendMail(input, email, challenge);
    if (phone !== '') return sendSms(input, phone);
    throw invalid('One of email or phone must be set');
  },
);

const MagicLinkBody = z.object({ email: Text, data: Data, ...CodeChallengeFields });

/** POST /magiclink: the older name of POST /otp for an address. */
export const magicLink = publicRoute(
  { method: 'POST', url: '/magiclink', limit: 'otp', captcha: 'asked', body: MagicLinkBody },
  async (input) => {
    const { context, body } = input;
    if (!context.auth.email.enable_signup) throw ERRORS.emailLoginsDisabled();
    if (body.email === '') throw ERRORS.magicLinkNeedsEmail();
    const email = parseEmail(body.email);
    const asOtp = { ...body, phone: '', channel: '', create_user: true };
    return sendMail({ ...input, body: asOtp }, email, parseCodeChallenge(body));
  },
);

async function sendMail(
  input: RequestContext<Body>,
  email: string,
  challenge: CodeChallenge | undefined,
): Promise<unknown> {
  const { context, body, request } = input;
  if (!context.auth.email.enable_signup) throw ERRORS.emailLoginsDisabled();
  const redirectTo = readRedirect(request, context.auth);
  const signUp = { email, data: body.data, challenge, redirectTo };
  await takeMailboxQuota(context, email);
  await requireMailQuota(context);
  // Runs in the background, since its duration would reveal whether an account exists.
  context.background(sendIfAllowed(input, signUp));
  return {};
}

/** Sends no mail to an address that gets no account; the answer is the same (decision 0142). */
async function sendIfAllowed(input: RequestContext<Body>, signUp: MailSignUp): Promise<void> {
  const { context, body } = input;
  const known = await context.database.asOwner((tx) => findUserByEmail(tx, signUp.email));
  // The code accepts an invitation, as a link to a new password does.
  const isNew = known === undefined || (known.email_confirmed_at === null && known.invited_at === null);
  if (known === undefined && !body.create_user) return;
  if (isNew && !context.auth.enable_signup) return;
  // The confirmation mail of a new address is also its first login link.
  if (isNew && context.auth.email.enable_confirmations) await requestConfirmationByMail(input, signUp);
  else await sendLink(input, signUp);
}

async function sendLink(input: RequestContext<Body>, signUp: MailSignUp): Promise<void> {
  const { context } = input;
  const made = await context.database.asOwner((tx) => issueLink(tx, input, signUp));
  if (made === undefined) return;
  await sendCodeMail(context, { to: signUp.email, kind: 'magiclink', made, redirectTo: signUp.redirectTo });
}

async function issueLink(tx: Tx, input: RequestContext<Body>, signUp: MailSignUp): Promise<IssuedCode | undefined> {
  const { context, device, at } = input;
  if (!(await admitMail(context, 'others', tx))) return undefined;
  const user = (await findUserByEmail(tx, signUp.email)) ?? (await addConfirmed(tx, input, signUp));
  await audit(tx, { action: 'user_recovery_requested', actorId: user.id, address: device.address, at });
  return issueCode(context, tx, { user, kind: 'magiclink', challenge: signUp.challenge, at });
}

async function sendSms(input: RequestContext<Body>, phone: string): Promise<unknown> {
  const { context, body } = input;
  const { sms, enable_signup } = context.auth;
  if (!sms.enable_signup) throw ERRORS.smsNotConfigured();
  requireKnownChannel(context, body.channel);
  const signUp = { phone, data: body.data };
  const known = await context.database.asOwner((tx) => findUserByPhone(tx, phone));
  if (known === undefined && !body.create_user) throw ERRORS.otpDisabled();
  const isNew = known === undefined || known.phone_confirmed_at === null;
  if (isNew && !enable_signup) throw ERRORS.signupDisabled();
  takePhoneQuota(context, phone);
  if (!isNew || !sms.enable_confirmations) return sendPhoneCode(input, signUp);
  const code = await context.database.asOwner((tx) => requestConfirmationByPhone(tx, input, signUp));
  await code?.send();
  return {};
}

async function sendPhoneCode(input: RequestContext<Body>, signUp: PhoneSignUp): Promise<unknown> {
  const { context, device, at } = input;
  const code = await context.database.asOwner(async (tx) => {
    const user: UserRow = (await findUserByPhone(tx, signUp.phone)) ?? (await addConfirmed(tx, input, signUp));
    await audit(tx, { action: 'user_recovery_requested', actorId: user.id, address: device.address, at });
    return issuePhoneCode(context, tx, { user, phone: signUp.phone, purpose: 'confirmation', at });
  });
  await code.send();
  return formatMessageId(code);
}
