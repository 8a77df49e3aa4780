import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { validEmail, validPhone } from '../addresses.ts';
import { Data, queryText, Text } from '../body.ts';
import { FAULTS, invalid } from '../errors.ts';
import { CHALLENGE_MEMBERS, challengeOf, type Challenge } from '../flows/code-challenge.ts';
import { deliver, issueCode, requireMailLeft, sendWithin, takeMailbox, type IssuedCode } from '../mail/codes.ts';
import { checkChannel, issuePhoneCode, sentAnswer, takePhone } from '../phone/codes.ts';
import { acceptedRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { findUserByEmail, findUserByPhone, type UserRow } from '../repository/users.ts';
import { publicCall, type Ask } from '../route.ts';
import {
  addConfirmed,
  addPhoneConfirmed,
  askForConfirmation,
  prepareByPhone,
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
    if (email !== '') return byMail(ask, email, challenge);
    if (phone !== '') return byPhone(ask, phone);
    throw invalid('One of email or phone must be set');
  },
);

async function byMail(ask: Ask<Body>, email: string, challenge: Challenge | undefined): Promise<unknown> {
  const { context, body, request } = ask;
  if (!context.auth.email.enable_signup) throw FAULTS.emailLoginsDisabled();
  const redirectTo = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  const wish = { email, data: body.data, challenge, redirectTo };
  await takeMailbox(context, email);
  await requireMailLeft(context);
  // Nothing waits for what follows: how long it takes would tell who has an account.
  context.background(sendWhereAllowed(ask, wish));
  return {};
}

/** An address that gets no account gets no mail either; the answer was the same (decision 0142). */
async function sendWhereAllowed(ask: Ask<Body>, wish: MailSignUp): Promise<void> {
  const { context, body } = ask;
  const known = await context.database.asOwner((tx) => findUserByEmail(tx, wish.email));
  const isNew = known === undefined || known.email_confirmed_at === null;
  if (known === undefined && !body.create_user) return;
  if (isNew && !context.auth.enable_signup) return;
  // The mail that confirms a new address is its first link at the same time.
  if (isNew && context.auth.email.enable_confirmations) await askForConfirmation(ask, wish);
  else await sendLink(ask, wish);
}

async function sendLink(ask: Ask<Body>, wish: MailSignUp): Promise<void> {
  const { context } = ask;
  const made = await context.database.asOwner((tx) => issueLink(tx, ask, wish));
  const mail = { to: wish.email, kind: 'magiclink', made, redirectTo: wish.redirectTo } as const;
  await sendWithin(context, 'others', () => deliver(context, mail));
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
  if (known === undefined && !body.create_user) throw FAULTS.otpDisabled();
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
