import type { SignedIn } from '../authenticate.ts';
import { FAULTS, invalid } from '../errors.ts';
import { deliverCode, takeMail, takeMailbox } from '../mail/codes.ts';
import { issuePhoneCode, sentAnswer, takePhone } from '../phone/codes.ts';
import { audit } from '../repository/audit.ts';
import { putToken } from '../repository/one-time-tokens.ts';
import { updateUser } from '../repository/users.ts';
import { userCall, type Ask } from '../route.ts';

/** GET /reauthenticate: a code that stands for a fresh sign-in when the password changes (PUT /user, `nonce`). */
export const reauthenticate = userCall({ method: 'GET', url: '/reauthenticate', limit: 'user' }, async (ask, me) => {
  const { email, phone, email_confirmed_at, phone_confirmed_at } = me.user;
  if (email !== null && email !== '') {
    if (email_confirmed_at === null) throw FAULTS.verifyEmailFirst();
    return byMail(ask, me, email);
  }
  if (phone === null || phone === '') {
    throw invalid('Reauthentication requires the user to have an email or a phone number');
  }
  if (phone_confirmed_at === null) throw FAULTS.verifyPhoneFirst();
  return byPhone(ask, me, phone);
});

async function byMail({ context, device, at }: Ask, { user }: SignedIn, email: string): Promise<unknown> {
  await takeMailbox(context, email);
  await takeMail(context, 'others');
  const made = context.codes.issue(email, context.auth.email.otp_length);
  await context.database.asOwner(async (tx) => {
    await audit(tx, { action: 'user_reauthenticate_requested', actorId: user.id, address: device.address, at });
    await putToken(tx, { userId: user.id, kind: 'reauthentication_token', hash: made.hash, relatesTo: email, at });
    await updateUser(tx, user.id, { reauthentication_sent_at: at }, at);
  });
  await deliverCode(context, email, made);
  return {};
}

async function byPhone({ context, device, at }: Ask, { user }: SignedIn, phone: string): Promise<unknown> {
  takePhone(context, phone);
  const code = await context.database.asOwner(async (tx) => {
    await audit(tx, { action: 'user_reauthenticate_requested', actorId: user.id, address: device.address, at });
    return issuePhoneCode(context, tx, { user, phone, purpose: 'reauthentication', at });
  });
  await code.send();
  return sentAnswer(code);
}
