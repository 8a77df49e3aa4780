import { z } from 'zod';
import type { Tx } from '../../database/index.ts';
import { AUDIENCE, changeAccount, confirmEmail, mergeMetadata, storeProviders } from '../accounts.ts';
import { parseEmail, parsePhone } from '../addresses.ts';
import type { SignedIn } from '../authenticate.ts';
import { Data, Text } from '../body.ts';
import { AuthError, ERRORS, invalid } from '../errors.ts';
import { FACTOR_ERRORS, hasSecondFactor } from '../factors/rules.ts';
import { CodeChallengeFields, parseCodeChallenge } from '../auth-code.ts';
import { sendEmailChangeMails, startEmailChange, takeMailboxQuota, takeMailQuota } from '../mail.ts';
import { authorizePasswordChange } from '../passwords.ts';
import { requireKnownChannel, issuePhoneCode, takePhoneQuota } from '../phone/codes.ts';
import { readRedirect } from '../redirects.ts';
import { audit } from '../repository/audit.ts';
import { findIdentities, upsertIdentity } from '../repository/identities.ts';
import { deleteTokens } from '../repository/one-time-tokens.ts';
import { deleteUserSessions, findSession } from '../repository/sessions.ts';
import { findOwnerOfEmail, lockUser, isPhoneTaken, type UserRow } from '../repository/users.ts';
import { userRoute, type RequestContext } from '../route.ts';
import { userJson } from '../user-json.ts';

/** GET /user: the user of the access token, whose audience the caller may name. */
export const getUser = userRoute({ method: 'GET', url: '/user' }, async ({ context, request }, me) => {
  // The tokens of this server have one audience.
  const asked = request.headers['x-jwt-aud'] ?? '';
  if (asked !== '' && asked !== AUDIENCE) throw invalid("Token audience doesn't match request audience");
  const identities = await context.database.asOwner((tx) => findIdentities(tx, [me.user.id]));
  return userJson(me.user, identities);
});

const Body = z.object({
  email: Text,
  phone: Text,
  /** Unlike in other routes, an empty password is a password that is too short. */
  password: z.string().nullish(),
  nonce: Text,
  current_password: Text,
  data: Data,
  channel: Text,
  app_metadata: z.unknown().optional(),
  ...CodeChallengeFields,
});
type Body = z.infer<typeof Body>;

/** PUT /user: own password, address, number and data. A new password ends every other session and all open links. */
export const updateUser = userRoute({ method: 'PUT', url: '/user', limit: 'user', body: Body }, async (input, me) => {
  const { context, body } = input;
  const changes = parseContactChanges(input, me);
  refuseForbiddenChanges(body, me);
  if (changesLogin(changes, body) && hasSecondFactor(me.user) && me.session?.aal !== 'aal2') {
    throw FACTOR_ERRORS.updateNeedsAal2();
  }
  const password = body.password ?? undefined;
  const hash =
    password === undefined
      ? undefined
      : await authorizePasswordChange(input, me, { password, nonce: body.nonce, current: body.current_password });
  const done = await context.database.asOwner((tx) => applyChanges(tx, input, me, changes, hash));
  for (const send of done.sends) await send();
  return done.json;
});

/** The requested changes of address and number; undefined means no change. */
function parseContactChanges({ context, body, request }: RequestContext<Body>, { user }: SignedIn) {
  if (body.phone !== '' && !context.auth.sms.enable_signup) throw ERRORS.phoneSignupsDisabled();
  const email = body.email === '' ? undefined : parseEmail(body.email);
  const phone = body.phone === '' ? undefined : parsePhone(body.phone);
  return {
    email: email === user.email ? undefined : email,
    phone: phone === user.phone ? undefined : phone,
    channel: body.channel,
    challenge: parseCodeChallenge(body),
    redirectTo: readRedirect(request, context.auth),
    takePhoneQuota: runOnce(() => takePhoneQuota(context, phone ?? '')),
  };
}

type ContactChanges = ReturnType<typeof parseContactChanges>;

/** What is counted in this process stays counted where the transaction is run again. */
function runOnce(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}

function changesLogin({ email, phone }: ContactChanges, { password }: Body): boolean {
  return (password ?? '') !== '' || email !== undefined || phone !== undefined;
}

function refuseForbiddenChanges(body: Body, { user }: SignedIn): void {
  if (body.app_metadata !== undefined && body.app_metadata !== null) {
    throw new AuthError(403, 'not_admin', 'Updating app_metadata requires admin privileges');
  }
  const password = body.password ?? '';
  if (user.is_anonymous && password !== '' && body.email === '' && body.phone === '') {
    throw ERRORS.anonymousPassword();
  }
  if (!user.is_sso_user) return;
  const { email, phone, nonce } = body;
  const moves = (email !== '' && email !== user.email) || (phone !== '' && phone !== user.phone);
  if (moves || password !== '' || nonce !== '') throw ERRORS.ssoManaged();
}

async function applyChanges(
  tx: Tx,
  input: RequestContext<Body>,
  me: SignedIn,
  changes: ContactChanges,
  passwordHash: string | undefined,
) {
  const { body, at, device } = input;
  const before = await lockUser(tx, me.user.id);
  if (before === undefined) throw ERRORS.subjectNotFound();
  // What was checked of this session holds only while it lives: a new password set by another one ends it.
  if (me.session !== undefined && (await findSession(tx, me.session.id)) === undefined) throw ERRORS.sessionNotFound();
  if (passwordHash !== undefined) await endOtherSessions(tx, input, me);
  const values = {
    ...(passwordHash === undefined ? {} : { encrypted_password: passwordHash }),
    raw_user_meta_data: mergeMetadata(before.raw_user_meta_data, body.data),
  };
  const user = await changeAccount(tx, before.id, values, at);
  await audit(tx, { action: 'user_modified', actorId: user.id, address: device.address, at });
  const mailed = await changeEmail(tx, input, user, changes);
  const moved = await changePhone(tx, input, mailed.user, changes);
  const json = userJson(moved.user, await findIdentities(tx, [user.id]));
  return { json, sends: [...mailed.sends, ...moved.sends] };
}

async function endOtherSessions(
  tx: Tx,
  { device, at }: RequestContext<Body>,
  { user, session }: SignedIn,
): Promise<void> {
  await deleteTokens(tx, user.id);
  await deleteUserSessions(tx, user.id, session?.id);
  await audit(tx, { action: 'user_updated_password', actorId: user.id, address: device.address, at });
}

/** Call `sends` after the transaction. */
type ChangedContact = Readonly<{ user: UserRow; sends: readonly (() => Promise<void>)[] }>;

/**
 * Changes the address once the mailboxes have confirmed; at once only for an anonymous user in a project without
 * confirmations.
 */
async function changeEmail(
  tx: Tx,
  input: RequestContext<unknown>,
  user: UserRow,
  changes: ContactChanges,
): Promise<ChangedContact> {
  const { context, at } = input;
  const { email, challenge, redirectTo } = changes;
  if (email === undefined) return { user, sends: [] };
  const owner = await findOwnerOfEmail(tx, email);
  if (owner !== undefined && owner.id !== user.id) throw ERRORS.emailExists();
  if (user.is_anonymous && !context.auth.email.enable_confirmations) {
    const known = await changeAccount(tx, user.id, { email, is_anonymous: false }, at);
    await upsertIdentity(tx, { provider: 'email', userId: user.id, data: { email, email_verified: true }, at });
    return { user: await storeProviders(tx, await confirmEmail(tx, known, at), at), sends: [] };
  }
  await takeMailboxQuota(context, email, tx);
  await takeMailQuota(context, 'others', tx);
  const move = await startEmailChange(context, tx, { user, email, challenge, at });
  return { user: move.user, sends: [() => sendEmailChangeMails(context, move, redirectTo)] };
}

/** Changes the number at once where confirmations are off, otherwise once its code is verified. */
async function changePhone(
  tx: Tx,
  input: RequestContext<unknown>,
  user: UserRow,
  { phone, channel, takePhoneQuota: takeQuota }: ContactChanges,
): Promise<ChangedContact> {
  const { context, at } = input;
  if (phone === undefined) return { user, sends: [] };
  if (await isPhoneTaken(tx, phone)) throw ERRORS.phoneExists();
  requireKnownChannel(context, channel);
  if (!context.auth.sms.enable_confirmations) {
    const moved = await changeAccount(tx, user.id, { phone, phone_confirmed_at: at, is_anonymous: false }, at);
    await upsertIdentity(tx, { provider: 'phone', userId: user.id, data: { phone, phone_verified: true }, at });
    return { user: await storeProviders(tx, moved, at), sends: [] };
  }
  takeQuota();
  const code = await issuePhoneCode(context, tx, { user, phone, purpose: 'phone_change', at });
  return { user: code.user, sends: [code.send] };
}
