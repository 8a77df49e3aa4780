import { z } from 'zod';
import { validEmail, validPhone } from '../addresses.ts';
import { Data, queryText, Text } from '../body.ts';
import { publicCall, type Ask } from '../call.ts';
import { FAULTS, invalid } from '../errors.ts';
import { CHALLENGE_MEMBERS, challengeOf, type Challenge } from '../flows/challenge.ts';
import { deliver, issueCode, takeMail, takeMailbox, type IssuedCode } from '../mail/codes.ts';
import { checkChannel, issuePhoneCode, sentAnswer, takePhone } from '../phone/codes.ts';
import { audit } from '../records/audit.ts';
import { findUserByEmail, findUserByPhone, type UserRow } from '../records/users.ts';
import { acceptedRedirect } from '../redirects.ts';
import { addConfirmed, askForConfirmation, type MailSignUp } from '../sign-up/by-mail.ts';
import { addPhoneConfirmed, prepareByPhone, type PhoneSignUp } from '../sign-up/by-phone.ts';
import type { Tx } from '../../database/index.ts';

const Body = z.object({
  email: Text,
  phone: Text,
  data: Data,
  create_user: z.boolean().nullish().transform((value) => value ?? true), // prettier-ignore
  channel: Text,
  ...CHALLENGE_MEMBERS,
});
type Body = z.infer<typeof Body>;

/** POST /otp: a link and a code by mail, or a code by text message; who is new gets an account with it. */
export const otp = publicCall(
  { method: 'POST', url: '/otp', limit: 'otp', captcha: 'asked', body: Body },
  async (ask) => {
    const { body } = ask;
    if (body.email !== '' && body.phone !== '')
      throw invalid('Only an email address or phone number should be provided');
    if (body.email !== '' && body.channel !== '') throw invalid('Channel should only be specified with Phone OTP');
    const challenge = challengeOf(body);
    const email = body.email === '' ? '' : validEmail(body.email);
    const phone = body.phone === '' ? '' : validPhone(body.phone);
    if (!body.create_user && (await isUnknown(ask, email, phone))) throw FAULTS.otpDisabled();
    if (email !== '') return byMail(ask, email, challenge);
    if (phone !== '') return byPhone(ask, phone);
    throw invalid('One of email or phone must be set');
  },
);

function isUnknown({ context }: Ask<Body>, email: string, phone: string): Promise<boolean> {
  return context.database.asOwner(async (tx) => {
    if (email !== '') return (await findUserByEmail(tx, email)) === undefined;
    return phone !== '' && (await findUserByPhone(tx, phone)) === undefined;
  });
}

async function byMail(ask: Ask<Body>, email: string, challenge: Challenge | undefined): Promise<unknown> {
  const { context, body, request } = ask;
  if (!context.auth.email.enable_signup) throw FAULTS.emailLoginsDisabled();
  const redirectTo = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  const wish = { email, data: body.data, challenge, redirectTo };
  const known = await context.database.asOwner((tx) => findUserByEmail(tx, email));
  const isNew = known === undefined || known.email_confirmed_at === null;
  if (isNew && !context.auth.enable_signup) throw FAULTS.signupDisabled();
  takeMailbox(context, email);
  takeMail(context);
  // Nothing waits for what follows: how long it takes would tell who has an account.
  context.background(isNew && context.auth.email.enable_confirmations ? confirm(ask, wish) : sendLink(ask, wish));
  return {};
}

/** The mail that confirms a new address is its first link at the same time. */
async function confirm(ask: Ask<Body>, wish: MailSignUp): Promise<void> {
  await askForConfirmation(ask, wish);
}

async function sendLink(ask: Ask<Body>, wish: MailSignUp): Promise<void> {
  const { context } = ask;
  const made = await context.database.asOwner((tx) => issueLink(tx, ask, wish));
  await deliver(context, { to: wish.email, kind: 'magiclink', made, redirectTo: wish.redirectTo });
}

async function issueLink(tx: Tx, ask: Ask<Body>, wish: MailSignUp): Promise<IssuedCode> {
  const { context, device, at } = ask;
  const user = (await findUserByEmail(tx, wish.email)) ?? (await addConfirmed(tx, ask, wish));
  await audit(tx, { action: 'user_recovery_requested', actorId: user.id, address: device.address, at });
  return issueCode(context, tx, { user, kind: 'magiclink', challenge: wish.challenge, at });
}

async function byPhone(ask: Ask<Body>, phone: string): Promise<unknown> {
  const { context, body } = ask;
  const { sms, enable_signup } = context.auth;
  if (!sms.enable_signup) throw FAULTS.smsNotConfigured();
  checkChannel(context, body.channel);
  const wish = { phone, data: body.data };
  const known = await context.database.asOwner((tx) => findUserByPhone(tx, phone));
  const isNew = known === undefined || known.phone_confirmed_at === null;
  if (isNew && !enable_signup) throw FAULTS.signupDisabled();
  takePhone(context, phone);
  if (!isNew || !sms.enable_confirmations) return sendCode(ask, wish);
  const code = await context.database.asOwner((tx) => prepareByPhone(tx, ask, wish));
  await code?.send();
  return {};
}

async function sendCode(ask: Ask<Body>, wish: PhoneSignUp): Promise<unknown> {
  const { context, device, at } = ask;
  const code = await context.database.asOwner(async (tx) => {
    const user: UserRow = (await findUserByPhone(tx, wish.phone)) ?? (await addPhoneConfirmed(tx, ask, wish));
    await audit(tx, { action: 'user_recovery_requested', actorId: user.id, address: device.address, at });
    return issuePhoneCode(context, tx, { user, phone: wish.phone, purpose: 'confirmation', at });
  });
  await code.send();
  return sentAnswer(code);
}
