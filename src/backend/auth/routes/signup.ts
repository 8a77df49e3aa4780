import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { networkOf } from '#http/network.ts';
import { AUDIENCE, createAccount } from '../accounts.ts';
import { validEmail, validPhone } from '../addresses.ts';
import { Data, queryText, Text } from '../body.ts';
import { FAULTS, invalid } from '../errors.ts';
import { CHALLENGE_MEMBERS, challengeOf } from '../flows/code-challenge.ts';
import { requireMailLeft, takeMailbox } from '../mail/codes.ts';
import { checkPassword, hashPassword } from '../passwords.ts';
import { checkChannel, takePhone } from '../phone/codes.ts';
import { acceptedRedirect } from '../redirects.ts';
import { identitiesOf } from '../repository/identities.ts';
import type { Metadata, UserRow } from '../repository/users.ts';
import { publicCall, type Ask } from '../route.ts';
import { openSession } from '../sessions/issue.ts';
import { addConfirmed, addPhoneConfirmed, askForConfirmation, prepareByPhone } from '../sign-up.ts';
import { userJson } from '../user-json.ts';

const Body = z.object({ email: Text, phone: Text, password: Text, data: Data, channel: Text, ...CHALLENGE_MEMBERS });
type Body = z.infer<typeof Body>;

/** POST /signup. An account alone has no rights: a project gives them. */
export const signup = publicCall(
  { method: 'POST', url: '/signup', limit: 'signup', captcha: 'asked', body: Body },
  async (ask) => {
    const { context, body } = ask;
    if (body.email === '' && body.phone === '') return anonymous(ask);
    if (!context.auth.enable_signup) throw FAULTS.signupDisabled();
    if (body.password === '') throw invalid('Signup requires a valid password');
    if (body.email !== '' && body.phone !== '') {
      throw invalid('Only an email address or phone number should be provided on signup.');
    }
    if (body.phone !== '' && body.code_challenge !== '') throw invalid('PKCE not supported for phone signups');
    return body.email === '' ? byPhone(ask) : byMail(ask);
  },
);

async function anonymous(ask: Ask<Body>): Promise<unknown> {
  const { context, body, device, at } = ask;
  if (!context.auth.enable_anonymous_sign_ins) throw FAULTS.anonymousDisabled();
  if (!context.auth.enable_signup) throw FAULTS.signupDisabled();
  if (!context.limits.anonymous.take(networkOf(device.address))) throw FAULTS.rateLimit();
  return context.database.asOwner(async (tx) => {
    const user = await createAccount(tx, { data: body.data, anonymous: true, at });
    return openSession(context, tx, { user, method: 'anonymous', device });
  });
}

async function byMail(ask: Ask<Body>): Promise<unknown> {
  const { context, body, device, at, request } = ask;
  if (!context.auth.email.enable_signup) throw FAULTS.emailSignupsDisabled();
  const challenge = challengeOf(body);
  const email = validEmail(body.email);
  await checkPassword(body.password, context);
  const redirectTo = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  const wish = { email, passwordHash: await hashPassword(body.password), data: body.data, challenge, redirectTo };
  if (!context.auth.email.enable_confirmations) {
    return context.database.asOwner(async (tx) => {
      const user = await addConfirmed(tx, ask, wish);
      return openSession(context, tx, { user, method: 'password', device });
    });
  }
  await takeMailbox(context, email);
  await requireMailLeft(context);
  return (await askForConfirmation(ask, wish)) ?? nobody({ email, data: body.data, at });
}

async function byPhone(ask: Ask<Body>): Promise<unknown> {
  const { context, body, device, at } = ask;
  if (!context.auth.sms.enable_signup) throw FAULTS.phoneSignupsDisabled();
  const phone = validPhone(body.phone);
  checkChannel(context, body.channel);
  await checkPassword(body.password, context);
  const wish = { phone, passwordHash: await hashPassword(body.password), data: body.data };
  if (!context.auth.sms.enable_confirmations) {
    return context.database.asOwner(async (tx) => {
      const user = await addPhoneConfirmed(tx, ask, wish);
      return openSession(context, tx, { user, method: 'password', device, provider: 'phone' });
    });
  }
  takePhone(context, phone);
  const made = await context.database.asOwner(async (tx) => {
    const code = await prepareByPhone(tx, ask, wish);
    return code && { code, json: userJson(code.user, await identitiesOf(tx, [code.user.id])) };
  });
  await made?.code.send();
  return made?.json ?? nobody({ phone, data: body.data, at });
}

type Invented = Readonly<{ email?: string; phone?: string; data: Metadata; at: Date }>;

/** The answer to who registers an address that has an account: a user who does not exist and names nobody. */
function nobody({ email, phone, data, at }: Invented): Record<string, unknown> {
  const provider = email === undefined ? 'phone' : 'email';
  // prettier-ignore
  const empty: UserRow = {
    id: randomUUID(), aud: AUDIENCE, role: '', email: email ?? null, encrypted_password: null, email_confirmed_at: null,
    invited_at: null, confirmation_sent_at: at, recovery_sent_at: null, email_change: null, email_change_sent_at: null,
    email_change_confirm_status: null, last_sign_in_at: null, raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: data, created_at: at, updated_at: at, phone: phone ?? null, phone_confirmed_at: null,
    phone_change: null, phone_change_sent_at: null, confirmed_at: null, banned_until: null,
    reauthentication_sent_at: null, is_sso_user: false, deleted_at: null, is_anonymous: false, factors: [],
  };
  return userJson(empty, []);
}
