import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { changeAccount, merged } from '../accounts.ts';
import { validEmail, validPhone } from '../addresses.ts';
import type { SignedIn } from '../authenticate.ts';
import { Data, queryText, Text } from '../body.ts';
import { userCall, type Ask } from '../call.ts';
import { AuthError, FAULTS } from '../errors.ts';
import { CHALLENGE_MEMBERS, challengeOf } from '../flows/challenge.ts';
import { newPasswordHash } from '../changes/new-password.ts';
import { FACTOR_FAULTS } from '../factors/faults.ts';
import { hasSecondFactor } from '../factors/rules.ts';
import { audit } from '../records/audit.ts';
import { identitiesOf } from '../records/identities.ts';
import { deleteTokens } from '../records/one-time-tokens.ts';
import { deleteSessionsOf } from '../records/sessions.ts';
import { lockUser } from '../records/users.ts';
import { acceptedRedirect } from '../redirects.ts';
import { userJson } from '../user-json.ts';
import { moveEmail, movePhone, type Moved, type Wishes } from '../changes/moves.ts';

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
