import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { changeAccount, confirmEmail, confirmPhone, merged, noteProviders } from '../accounts.ts';
import { validEmail, validPhone } from '../addresses.ts';
import type { SignedIn } from '../authenticate.ts';
import { Data, queryText, Text } from '../body.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { FACTOR_FAULTS } from '../factors/errors.ts';
import { hasSecondFactor } from '../factors/rules.ts';
import { CHALLENGE_MEMBERS, challengeOf, type Challenge } from '../flows/code-challenge.ts';
import { takeMail, takeMailbox } from '../mail/codes.ts';
import { mailEmailChange, startEmailChange } from '../mail/email-change.ts';
import { newPasswordHash } from '../password-change.ts';
import { checkChannel, issuePhoneCode, takePhone } from '../phone/codes.ts';
import { acceptedRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { identitiesOf, putIdentity } from '../repository/identities.ts';
import { deleteTokens } from '../repository/one-time-tokens.ts';
import { deleteSessionsOf } from '../repository/sessions.ts';
import { findOwnerOfEmail, lockUser, phoneIsTaken, type UserRow } from '../repository/users.ts';
import { userCall, type Ask } from '../route.ts';
import { userJson } from '../user-json.ts';

/** GET /user: whom the access token names. */
export const getUser = userCall({ method: 'GET', url: '/user' }, async ({ context }, me) => {
  const identities = await context.database.asOwner((tx) => identitiesOf(tx, [me.user.id]));
  return userJson(me.user, identities);
});

const Body = z.object({
  email: Text,
  phone: Text,
  /** Unlike elsewhere an empty one is a password, and too short. */
  password: z.string().nullish(),
  nonce: Text,
  current_password: Text,
  data: Data,
  channel: Text,
  app_metadata: z.unknown().optional(),
  ...CHALLENGE_MEMBERS,
});
type Body = z.infer<typeof Body>;

/** PUT /user: own password, address, number and data. A new password ends every other session and all open links. */
export const updateUser = userCall({ method: 'PUT', url: '/user', limit: 'user', body: Body }, async (ask, me) => {
  const { context, body } = ask;
  const wishes = wishesOf(ask, me);
  refuseForeign(body, me);
  if (changesLogin(wishes, body) && hasSecondFactor(me.user) && me.session?.aal !== 'aal2') {
    throw FACTOR_FAULTS.updateNeedsAal2();
  }
  const password = body.password ?? undefined;
  const hash =
    password === undefined
      ? undefined
      : await newPasswordHash(ask, me, { password, nonce: body.nonce, current: body.current_password });
  const done = await context.database.asOwner((tx) => change(tx, ask, me, wishes, hash));
  for (const send of done.sends) await send();
  return done.json;
});

function wishesOf({ context, body, request }: Ask<Body>, { user }: SignedIn): Wishes {
  if (body.phone !== '' && !context.auth.sms.enable_signup) throw FAULTS.phoneSignupsDisabled();
  const email = body.email === '' ? undefined : validEmail(body.email);
  const phone = body.phone === '' ? undefined : validPhone(body.phone);
  return {
    email: email === user.email ? undefined : email,
    phone: phone === user.phone ? undefined : phone,
    channel: body.channel,
    challenge: challengeOf(body),
    redirectTo: acceptedRedirect(queryText(request, 'redirect_to'), context.auth),
  };
}

function changesLogin({ email, phone }: Wishes, { password }: Body): boolean {
  return (password ?? '') !== '' || email !== undefined || phone !== undefined;
}

function refuseForeign(body: Body, { user }: SignedIn): void {
  if (body.app_metadata !== undefined && body.app_metadata !== null) {
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges');
  }
  const password = body.password ?? '';
  if (user.is_anonymous && password !== '' && body.email === '' && body.phone === '') {
    throw FAULTS.anonymousPassword();
  }
  if (!user.is_sso_user) return;
  const { email, phone, nonce } = body;
  const moves = (email !== '' && email !== user.email) || (phone !== '' && phone !== user.phone);
  if (moves || password !== '' || nonce !== '') throw FAULTS.ssoManaged();
}

type Done = Readonly<{ json: Record<string, unknown>; sends: Moved['sends'] }>;

async function change(
  tx: Tx,
  ask: Ask<Body>,
  me: SignedIn,
  wishes: Wishes,
  passwordHash: string | undefined,
): Promise<Done> {
  const { body, at, device } = ask;
  const before = await lockUser(tx, me.user.id);
  if (before === undefined) throw FAULTS.userGone();
  if (passwordHash !== undefined) await endOthers(tx, ask, me);
  const values = {
    ...(passwordHash === undefined ? {} : { encrypted_password: passwordHash }),
    raw_user_meta_data: merged(before.raw_user_meta_data, body.data),
  };
  const user = await changeAccount(tx, before.id, values, at);
  await audit(tx, { action: 'user_modified', actorId: user.id, address: device.address, at });
  const mailed = await moveEmail(tx, ask, user, wishes);
  const moved = await movePhone(tx, ask, mailed.user, wishes);
  const json = userJson(moved.user, await identitiesOf(tx, [user.id]));
  return { json, sends: [...mailed.sends, ...moved.sends] };
}

async function endOthers(tx: Tx, { device, at }: Ask<Body>, { user, session }: SignedIn): Promise<void> {
  await deleteTokens(tx, user.id);
  await deleteSessionsOf(tx, user.id, session?.id);
  await audit(tx, { action: 'user_updated_password', actorId: user.id, address: device.address, at });
}

/** Where the owner of an account wants to be reached; undefined means no change. */
type Wishes = Readonly<{
  email: string | undefined;
  phone: string | undefined;
  channel: string;
  challenge: Challenge | undefined;
  redirectTo: string;
}>;

/** `sends` is for after the transaction. */
type Moved = Readonly<{ user: UserRow; sends: readonly (() => Promise<void>)[] }>;

/** When the mailboxes have answered; at once only where somebody without any address gets one and nobody confirms. */
async function moveEmail(tx: Tx, ask: Ask<unknown>, user: UserRow, wishes: Wishes): Promise<Moved> {
  const { context, at } = ask;
  const { email, challenge, redirectTo } = wishes;
  if (email === undefined) return { user, sends: [] };
  const owner = await findOwnerOfEmail(tx, email);
  if (owner !== undefined && owner.id !== user.id) throw FAULTS.emailExists();
  if (user.is_anonymous && !context.auth.email.enable_confirmations) {
    const known = await changeAccount(tx, user.id, { email, is_anonymous: false }, at);
    await putIdentity(tx, { provider: 'email', userId: user.id, data: { email }, at });
    return { user: await noteProviders(tx, await confirmEmail(tx, known, at), at), sends: [] };
  }
  await takeMailbox(context, email, tx);
  await takeMail(context, 'others', tx);
  const move = await startEmailChange(context, tx, { user, email, challenge, at });
  return { user: move.user, sends: [() => mailEmailChange(context, move, redirectTo)] };
}

/** At once where confirmations are off, else when the phone has answered. */
async function movePhone(tx: Tx, ask: Ask<unknown>, user: UserRow, wishes: Wishes): Promise<Moved> {
  const { context, at } = ask;
  const { phone } = wishes;
  if (phone === undefined) return { user, sends: [] };
  if (await phoneIsTaken(tx, phone)) throw FAULTS.phoneExists();
  checkChannel(context, wishes.channel);
  if (!context.auth.sms.enable_confirmations) {
    const moved = await changeAccount(tx, user.id, { phone, phone_confirmed_at: at, is_anonymous: false }, at);
    return { user: await noteProviders(tx, await confirmPhone(tx, moved, at), at), sends: [] };
  }
  takePhone(context, phone);
  const code = await issuePhoneCode(context, tx, { user, phone, purpose: 'phone_change', at });
  return { user: code.user, sends: [code.send] };
}
