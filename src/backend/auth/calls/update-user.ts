import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { changeAccount, confirmEmail, merged } from '../accounts.ts';
import { validEmail } from '../addresses.ts';
import type { SignedIn } from '../authenticate.ts';
import { Data, queryText, Text } from '../body.ts';
import { userCall, type Ask } from '../call.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { FACTOR_FAULTS } from '../factors/faults.ts';
import { hasSecondFactor } from '../factors/rules.ts';
import { takeMail, takeMailbox } from '../mail/codes.ts';
import { mailEmailChange, startEmailChange, type EmailChange } from '../mail/email-change.ts';
import { checkPassword, hashPassword, passwordMatches } from '../passwords.ts';
import { audit } from '../records/audit.ts';
import { identitiesOf } from '../records/identities.ts';
import { deleteTokens } from '../records/one-time-tokens.ts';
import { deleteSessionsOf } from '../records/sessions.ts';
import { findUserByEmail, lockUser, type UserRow } from '../records/users.ts';
import { acceptedRedirect } from '../redirects.ts';
import { userJson } from '../user-json.ts';

const Body = z.object({
  email: Text,
  phone: Text,
  password: Text,
  nonce: Text,
  data: Data,
  app_metadata: z.unknown().optional(),
});
type Body = z.infer<typeof Body>;

const FRESH_SESSION_MS = 24 * 3_600_000;

/** PUT /user: own password, address and data. A new password ends every other session and all open links. */
export const updateUser = userCall({ method: 'PUT', url: '/user', limit: 'user', body: Body }, async (ask, me) => {
  const { context, body } = ask;
  if (body.app_metadata !== undefined && body.app_metadata !== null) {
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges');
  }
  if (body.phone !== '') throw FAULTS.phoneSignupsDisabled();
  if (changesLogin(body, me.user) && hasSecondFactor(me.user) && me.session?.aal !== 'aal2') {
    throw FACTOR_FAULTS.updateNeedsAal2();
  }
  if (me.user.is_sso_user && (body.email !== '' || body.password !== '')) throw FAULTS.ssoManaged();
  const passwordHash = body.password === '' ? undefined : await newPasswordHash(ask, me);
  const done = await context.database.asOwner(async (tx) => {
    const before = await lockUser(tx, me.user.id);
    if (before === undefined) throw FAULTS.userGone();
    if (passwordHash !== undefined) await endOthers(tx, ask, me);
    const changed = await change(tx, ask, before, passwordHash);
    return { ...changed, json: userJson(changed.user, await identitiesOf(tx, [before.id])) };
  });
  const redirectTo = acceptedRedirect(queryText(ask.request, 'redirect_to'), context.auth);
  if (done.move !== undefined) await mailEmailChange(context, done.move, redirectTo);
  return done.json;
});

function changesLogin({ email, phone, password }: Body, user: UserRow): boolean {
  return password !== '' || (email !== '' && email !== user.email) || (phone !== '' && phone !== user.phone);
}

async function newPasswordHash({ context, body }: Ask<Body>, { user, session }: SignedIn): Promise<string> {
  const { auth } = context;
  const stale = session === undefined || context.now() - session.created_at.getTime() > FRESH_SESSION_MS;
  if (auth.email.secure_password_change && stale) {
    throw body.nonce === '' ? FAULTS.reauthenticationNeeded() : FAULTS.reauthenticationInvalid();
  }
  checkPassword(body.password, auth);
  if (await passwordMatches(body.password, user.encrypted_password)) throw FAULTS.samePassword();
  return hashPassword(body.password);
}

type Changed = Readonly<{ user: UserRow; move?: EmailChange }>;

async function change(tx: Tx, ask: Ask<Body>, before: UserRow, hash: string | undefined): Promise<Changed> {
  const { body, at, device } = ask;
  const email = body.email === '' ? undefined : validEmail(body.email);
  const values = {
    ...(hash === undefined ? {} : { encrypted_password: hash }),
    raw_user_meta_data: merged(before.raw_user_meta_data, body.data),
  };
  const user = await changeAccount(tx, before.id, values, at);
  await audit(tx, { action: 'user_modified', actorId: user.id, address: device.address, at });
  if (email === undefined || email === before.email) return { user };
  if ((await findUserByEmail(tx, email)) !== undefined) throw FAULTS.emailExists();
  return moveAddress(tx, ask, user, email);
}

/** At once where confirmations are off, else when the mailboxes have answered. */
async function moveAddress(tx: Tx, { context, at }: Ask<Body>, user: UserRow, email: string): Promise<Changed> {
  if (!context.auth.email.enable_confirmations) {
    return { user: await confirmEmail(tx, await changeAccount(tx, user.id, { email }, at), at) };
  }
  takeMailbox(context, email);
  takeMail(context);
  const move = await startEmailChange(context, tx, user, email, at);
  return { user: move.user, move };
}

async function endOthers(tx: Tx, { device, at }: Ask<Body>, { user, session }: SignedIn): Promise<void> {
  await deleteTokens(tx, user.id);
  await deleteSessionsOf(tx, user.id, session?.id);
  await audit(tx, { action: 'user_updated_password', actorId: user.id, address: device.address, at });
}
