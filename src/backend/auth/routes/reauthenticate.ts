import type { SignedIn } from '../authenticate.ts';
import { ERRORS, invalid } from '../errors.ts';
import { sendReauthenticationMail, takeMailQuota, takeMailboxQuota } from '../mail/codes.ts';
import { issuePhoneCode, formatMessageId, takePhoneQuota } from '../phone/codes.ts';
import { audit } from '../repository/audit.ts';
import { upsertToken } from '../repository/one-time-tokens.ts';
import { updateUser } from '../repository/users.ts';
import { userRoute, type RequestContext } from '../route.ts';

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
    await upsertToken(tx, { userId: user.id, kind: 'reauthentication_token', hash: made.hash, relatesTo: email, at });
    await updateUser(tx, user.id, { reauthentication_sent_at: at }, at);
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
