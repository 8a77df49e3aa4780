import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { toNetwork } from '#http/network.ts';
import { AUDIENCE, createAccount } from '../accounts.ts';
import { parseEmail, parsePhone } from '../addresses.ts';
import { Data, Text } from '../body.ts';
import { ERRORS, invalid } from '../errors.ts';
import { CodeChallengeFields, parseCodeChallenge } from '../auth-code.ts';
import { createUnknownAddressHasher } from '../hashing.ts';
import { requireMailQuota, takeMailboxQuota } from '../mail.ts';
import { hashPassword, validatePassword } from '../passwords.ts';
import { requireKnownChannel, takePhoneQuota } from '../phone/codes.ts';
import { readRedirect } from '../redirects.ts';
import { findIdentities } from '../repository/identities.ts';
import type { Metadata, UserRow } from '../repository/users.ts';
import { publicRoute, type RequestContext } from '../route.ts';
import { openSession } from '../sessions/issue.ts';
import { addConfirmed, requestConfirmationByMail, requestConfirmationByPhone } from '../sign-up.ts';
import { userJson } from '../user-json.ts';

const Body = z.object({ email: Text, phone: Text, password: Text, data: Data, channel: Text, ...CodeChallengeFields });
type Body = z.infer<typeof Body>;

/** POST /signup. An account alone has no rights: a project gives them. */
export const signup = publicRoute(
  { method: 'POST', url: '/signup', limit: 'signup', captcha: 'asked', body: Body },
  async (input) => {
    const { context, body } = input;
    if (body.email === '' && body.phone === '') return signUpAnonymously(input);
    if (!context.auth.enable_signup) throw ERRORS.signupDisabled();
    if (body.password === '') throw invalid('Signup requires a valid password');
    if (body.email !== '' && body.phone !== '') {
      throw invalid('Only an email address or phone number should be provided on signup.');
    }
    if (body.phone !== '' && body.code_challenge !== '') throw invalid('PKCE not supported for phone signups');
    return body.email === '' ? signUpByPhone(input) : signUpByMail(input);
  },
);

async function signUpAnonymously(input: RequestContext<Body>): Promise<unknown> {
  const { context, body, device, at } = input;
  if (!context.auth.enable_anonymous_sign_ins) throw ERRORS.anonymousDisabled();
  if (!context.auth.enable_signup) throw ERRORS.signupDisabled();
  if (!context.limits.anonymous.take(toNetwork(device.address))) throw ERRORS.rateLimit();
  return context.database.asOwner(async (tx) => {
    const user = await createAccount(tx, { data: body.data, anonymous: true, at });
    return openSession(context, tx, { user, method: 'anonymous', device });
  });
}

async function signUpByMail(input: RequestContext<Body>): Promise<unknown> {
  const { context, body, device, at, request } = input;
  if (!context.auth.email.enable_signup) throw ERRORS.emailSignupsDisabled();
  const challenge = parseCodeChallenge(body);
  const email = parseEmail(body.email);
  await validatePassword(body.password, context);
  const redirectTo = readRedirect(request, context.auth);
  const passwordHash = await hashPassword(body.password, createUnknownAddressHasher(toNetwork(device.address)));
  const signUp = { email, passwordHash, data: body.data, challenge, redirectTo };
  if (!context.auth.email.enable_confirmations) {
    return context.database.asOwner(async (tx) => {
      const user = await addConfirmed(tx, input, signUp);
      return openSession(context, tx, { user, method: 'password', device });
    });
  }
  await takeMailboxQuota(context, email);
  await requireMailQuota(context);
  return (await requestConfirmationByMail(input, signUp)) ?? inventUser({ email, data: body.data, at });
}

async function signUpByPhone(input: RequestContext<Body>): Promise<unknown> {
  const { context, body, device, at } = input;
  if (!context.auth.sms.enable_signup) throw ERRORS.phoneSignupsDisabled();
  const phone = parsePhone(body.phone);
  requireKnownChannel(context, body.channel);
  await validatePassword(body.password, context);
  const passwordHash = await hashPassword(body.password, createUnknownAddressHasher(toNetwork(device.address)));
  const signUp = { phone, passwordHash, data: body.data };
  if (!context.auth.sms.enable_confirmations) {
    return context.database.asOwner(async (tx) => {
      const user = await addConfirmed(tx, input, signUp);
      return openSession(context, tx, { user, method: 'password', device, provider: 'phone' });
    });
  }
  takePhoneQuota(context, phone);
  const made = await context.database.asOwner(async (tx) => {
    const code = await requestConfirmationByPhone(tx, input, signUp);
    return code && { code, json: userJson(code.user, await findIdentities(tx, [code.user.id])) };
  });
  await made?.code.send();
  return made?.json ?? inventUser({ phone, data: body.data, at });
}

type InventedUser = Readonly<{ email?: string; phone?: string; data: Metadata; at: Date }>;

/** Answers the registration of an existing address with an invented user that reveals nothing. */
function inventUser({ email, phone, data, at }: InventedUser): Record<string, unknown> {
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
