import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { validEmail, validPhone } from '../addresses.ts';
import { queryText, Text } from '../body.ts';
import { FAULTS, invalid } from '../errors.ts';
import { CHALLENGE_MEMBERS, challengeOf } from '../flows/code-challenge.ts';
import { deliver, issueCode, requireMailLeft, sendWithin, takeMailbox } from '../mail/codes.ts';
import { mailEmailChange, startEmailChange } from '../mail/email-change.ts';
import { issuePhoneCode, sentAnswer, takePhone } from '../phone/codes.ts';
import { acceptedRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { findUserByEmail, findUserByPhone, type UserRow } from '../repository/users.ts';
import { publicCall, type Ask } from '../route.ts';

const Body = z.object({ type: Text, email: Text, phone: Text, ...CHALLENGE_MEMBERS });
type Body = z.infer<typeof Body>;

const TYPES = new Set(['signup', 'email_change', 'sms', 'phone_change']);

/** POST /resend: the last mail or message again. Where there is nothing to send the answer is the same. */
export const resend = publicCall(
  { method: 'POST', url: '/resend', limit: 'resend', captcha: 'asked', body: Body },
  async (ask) => {
    const { context, body } = ask;
    check(ask);
    if (body.email !== '') {
      const email = validEmail(body.email);
      await takeMailbox(context, email);
      await requireMailLeft(context);
      context.background(resendMail(ask, email));
      return {};
    }
    const phone = validPhone(body.phone);
    takePhone(context, phone);
    return resendText(ask, phone);
  },
);

function check({ body, context: { auth } }: Ask<Body>): void {
  if (!TYPES.has(body.type)) throw invalid('Missing one of these types: signup, email_change, sms, phone_change');
  if (body.type === 'signup' || body.type === 'email_change') challengeOf(body);
  if (body.email === '' && body.type === 'signup') throw invalid('Type provided requires an email address');
  if (body.phone === '' && body.type === 'sms') throw invalid('Type provided requires a phone number');
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided.');
  }
  if (body.email === '' && body.phone === '') throw invalid('Missing email address or phone number');
  if (body.email !== '' && !auth.email.enable_signup) throw FAULTS.emailMailsDisabled();
  if (body.phone !== '' && !auth.sms.enable_signup) throw FAULTS.phoneResendDisabled();
}

/** All of it behind the answer, so that the answer takes as long for who has an account as for who has none. */
async function resendMail(ask: Ask<Body>, email: string): Promise<void> {
  const { context, body, request } = ask;
  const redirectTo = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  const send = await context.database.asOwner(async (tx) => {
    const user = await findUserByEmail(tx, email);
    if (user === undefined) return undefined;
    if (body.type === 'signup') return again(tx, ask, user, redirectTo);
    return body.type === 'email_change' ? changeAgain(tx, ask, user, redirectTo) : undefined;
  });
  if (send !== undefined) await sendWithin(context, 'others', send);
}

type Send = () => Promise<void>;

async function again(tx: Tx, ask: Ask<Body>, user: UserRow, redirectTo: string): Promise<Send | undefined> {
  const { context, body, device, at } = ask;
  if (user.email_confirmed_at !== null) return undefined;
  await audit(tx, { action: 'user_confirmation_requested', actorId: user.id, address: device.address, at });
  const made = await issueCode(context, tx, { user, kind: 'signup', challenge: challengeOf(body), at });
  return () => deliver(context, { to: user.email ?? '', kind: 'signup', made, redirectTo });
}

async function changeAgain(tx: Tx, ask: Ask<Body>, user: UserRow, redirectTo: string): Promise<Send | undefined> {
  const { context, body, at } = ask;
  const email = user.email_change ?? '';
  if (email === '') return undefined;
  const move = await startEmailChange(context, tx, { user, email, challenge: challengeOf(body), at });
  return () => mailEmailChange(context, move, redirectTo);
}

async function resendText(ask: Ask<Body>, phone: string): Promise<unknown> {
  const { context, body, device, at } = ask;
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
  return code === undefined ? {} : sentAnswer(code);
}
