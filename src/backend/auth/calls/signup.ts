import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { confirmEmail, createAccount, AUDIENCE } from '../accounts.ts';
import { networkOf, validEmail } from '../addresses.ts';
import { Data, queryText, Text } from '../body.ts';
import { publicCall, type Ask } from '../call.ts';
import { FAULTS, invalid } from '../errors.ts';
import { deliver, issueCode, takeMail, takeMailbox } from '../mail/codes.ts';
import { checkPassword, hashPassword } from '../passwords.ts';
import { audit } from '../records/audit.ts';
import { identitiesOf } from '../records/identities.ts';
import { findUserByEmail, type UserRow } from '../records/users.ts';
import { acceptedRedirect } from '../redirects.ts';
import { openSession } from '../sessions/issue.ts';
import { userJson } from '../user-json.ts';

const Body = z.object({ email: Text, phone: Text, password: Text, data: Data });
type Body = z.infer<typeof Body>;

/** POST /signup (D14: off by default). Whoever registers has no role in this product. */
export const signup = publicCall({ method: 'POST', url: '/signup', limit: 'signup', body: Body }, async (ask) => {
  const { context, body } = ask;
  if (!context.auth.enable_signup) throw FAULTS.signupDisabled();
  if (body.email === '' && body.phone === '') return anonymous(ask);
  if (body.password === '') throw invalid('Signup requires a valid password');
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided on signup.');
  }
  if (body.phone !== '') throw FAULTS.phoneSignupsDisabled();
  if (!context.auth.email.enable_signup) throw FAULTS.emailSignupsDisabled();
  const email = validEmail(body.email);
  checkPassword(body.password, context.auth);
  const passwordHash = await hashPassword(body.password);
  return context.auth.email.enable_confirmations
    ? awaitConfirmation(ask, email, passwordHash)
    : enterAtOnce(ask, email, passwordHash);
});

async function anonymous(ask: Ask<Body>): Promise<unknown> {
  const { context, body, device, at } = ask;
  if (!context.auth.enable_anonymous_sign_ins) throw FAULTS.anonymousDisabled();
  if (!context.limits.anonymous.take(networkOf(device.address))) throw FAULTS.rateLimit();
  return context.database.asOwner(async (tx) => {
    const user = await createAccount(tx, { data: body.data, anonymous: true, at });
    return openSession(context, tx, { user, method: 'anonymous', device });
  });
}

async function enterAtOnce(ask: Ask<Body>, email: string, passwordHash: string): Promise<unknown> {
  const { context, body, device, at } = ask;
  return context.database.asOwner(async (tx) => {
    if ((await findUserByEmail(tx, email)) !== undefined) throw FAULTS.userExists();
    const made = await createAccount(tx, { email, passwordHash, data: body.data, at });
    const user = await confirmEmail(tx, made, at);
    await audit(tx, { action: 'user_signedup', actorId: user.id, address: device.address, at });
    return openSession(context, tx, { user, method: 'password', device });
  });
}

/** Whoever already has an account gets no mail here, and the caller an answer that names nobody. */
async function awaitConfirmation(ask: Ask<Body>, email: string, passwordHash: string): Promise<unknown> {
  const { context, body, device, at, request } = ask;
  const redirectTo = acceptedRedirect(queryText(request, 'redirect_to'), context.auth);
  takeMailbox(context, email);
  const made = await context.database.asOwner(async (tx) => {
    const existing = await findUserByEmail(tx, email);
    const action = existing === undefined ? 'user_confirmation_requested' : 'user_repeated_signup';
    if (existing !== undefined && existing.email_confirmed_at !== null) {
      await audit(tx, { action, actorId: existing.id, address: device.address, at });
      return undefined;
    }
    // An unconfirmed account keeps its password: nobody knows yet whose address this is.
    const user = existing ?? (await createAccount(tx, { email, passwordHash, data: body.data, at }));
    takeMail(context);
    const issued = await issueCode(context, tx, user, 'signup', at);
    await audit(tx, { action, actorId: user.id, address: device.address, at });
    return { ...issued, json: userJson(issued.user, await identitiesOf(tx, [user.id])) };
  });
  if (made === undefined) return nobody(email, body, at);
  await deliver(context, { to: email, kind: 'signup', made, redirectTo });
  return made.json;
}

function nobody(email: string, body: Body, at: Date): unknown {
  const empty: UserRow = {
    id: randomUUID(), aud: AUDIENCE, role: '', email, encrypted_password: null, email_confirmed_at: null,
    invited_at: null, confirmation_sent_at: at, recovery_sent_at: null, email_change: null, email_change_sent_at: null,
    email_change_confirm_status: null, last_sign_in_at: null,
    raw_app_meta_data: { provider: 'email', providers: ['email'] }, raw_user_meta_data: body.data, created_at: at,
    updated_at: at, phone: null, phone_confirmed_at: null, phone_change: null, phone_change_sent_at: null,
    confirmed_at: null, banned_until: null, reauthentication_sent_at: null, is_sso_user: false, deleted_at: null,
    is_anonymous: false, factors: [],
  }; // prettier-ignore
  return userJson(empty, []);
}
