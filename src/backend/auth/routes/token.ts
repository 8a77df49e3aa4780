import { toNetwork } from '#http/network.ts';
import type { Tx } from '../../database/index.ts';
import { stripPhone } from '../addresses.ts';
import { isBanned, type SignedIn } from '../authenticate.ts';
import { readQuery } from '../body.ts';
import { ERRORS, invalid } from '../errors.ts';
import { getCodeChallenge, hashCode, isFlowExpired, unseal, verifierMatches } from '../auth-code.ts';
import { createUnknownAddressHasher, KNOWN_ADDRESS_HASHER } from '../hashing.ts';
import { throttleAttempt } from '../limits/login-throttle.ts';
import { findWeakness, passwordMatches } from '../passwords.ts';
import { audit, hasAuditEntry } from '../repository/audit.ts';
import { deleteFlow, lockFlowByCode, type FlowStateRow } from '../repository/flows.ts';
import { deleteSession, deleteUserSessions } from '../repository/sessions.ts';
import { findUserByEmail, findUserByPhone, lockUser, NIL_UUID, type UserRow } from '../repository/users.ts';
import { publicRoute, requireCaptcha, type RequestContext, userRoute } from '../route.ts';
import { openSession, type SessionJson } from '../sessions/issue.ts';
import { refreshSession } from '../sessions/refresh.ts';
import { idTokenGrant } from './id-token-grant.ts';
import { TokenBody } from './token-body.ts';

/** POST /token?grant_type=password|refresh_token|pkce|id_token (supabase-contract §1.4, §1.5). */
export const token = publicRoute({ method: 'POST', url: '/token', limit: 'token', body: TokenBody }, async (input) => {
  switch (readQuery(input.request, 'grant_type')) {
    case 'password':
      await requireCaptcha(input.context, input.request);
      return passwordGrant(input);
    case 'refresh_token':
      return refreshSession(input.context, input.body.refresh_token, input.device);
    case 'pkce':
      return pkceGrant(input);
    case 'id_token':
      return idTokenGrant(input);
    default:
      throw ERRORS.unsupportedGrant();
  }
});

type WithProviderTokens = SessionJson & Readonly<{ provider_token?: string; provider_refresh_token?: string }>;

/** Exchanges the code of a flow, once, with the verifier behind its challenge (supabase-contract §1.4). */
function pkceGrant({ context, body, device }: RequestContext<TokenBody>): Promise<WithProviderTokens> {
  const { auth_code: code, code_verifier: verifier } = body;
  if (code === '' || verifier === '') {
    throw invalid('invalid request: both auth code and code verifier should be non-empty');
  }
  return context.database.asOwner(async (tx) => {
    const { flow, user } = await lockFinishedFlow(tx, code);
    if (isFlowExpired(flow, context.now())) throw ERRORS.flowExpired();
    const challenge = getCodeChallenge(flow);
    if (challenge === undefined || !verifierMatches(challenge, verifier)) throw ERRORS.badVerifier();
    if (isBanned(user, context.now())) throw ERRORS.bannedLogin();
    await deleteFlow(tx, flow.id);
    const provider = flow.authentication_method === 'oauth' ? { provider: flow.provider_type } : {};
    const session = await openSession(context, tx, { user, method: flow.authentication_method, device, ...provider });
    return { ...session, ...unsealProviderTokens(flow, code) };
  });
}

/** Locks the account too, so that one that is banned or removed meanwhile opens no session. */
async function lockFinishedFlow(tx: Tx, code: string): Promise<{ flow: FlowStateRow; user: UserRow }> {
  const flow = await lockFlowByCode(tx, hashCode(code));
  const user = typeof flow?.user_id === 'string' ? await lockUser(tx, flow.user_id) : undefined;
  if (flow === undefined || user === undefined) throw ERRORS.flowNotFound();
  return { flow, user };
}

function unsealProviderTokens(flow: FlowStateRow, code: string): Partial<WithProviderTokens> {
  const { provider_access_token: access, provider_refresh_token: refresh } = flow;
  return {
    ...(access === null ? {} : { provider_token: unseal(access, code) }),
    ...(refresh === null ? {} : { provider_refresh_token: unseal(refresh, code) }),
  };
}

type Login = Readonly<{ kind: 'email' | 'phone'; name: string }>;

/**
 * Opens a session for an e-mail address or phone number and its password. An unknown name, an account without a
 * password and a wrong password cost the same work and get the same answer; only a correct password reveals a ban.
 */
async function passwordGrant(input: RequestContext<TokenBody>): Promise<SessionJson> {
  const { context, device } = input;
  const login = parseLogin(input);
  const attempt = { account: login.name, network: toNetwork(device.address), isKnown: () => isKnown(input, login) };
  const user = await throttleAttempt(
    context.loginThrottle,
    attempt,
    () => findByPassword(input, login),
    (found) => (found === undefined ? 'fail' : 'succeed'),
  );
  if (user === undefined) throw ERRORS.invalidCredentials();
  return openLogin(input, user, login.kind);
}

function parseLogin({ context: { auth }, body }: RequestContext<TokenBody>): Login {
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided on login.');
  }
  if (body.phone !== '') {
    if (!auth.sms.enable_signup) throw ERRORS.phoneLoginsDisabled();
    return { kind: 'phone', name: stripPhone(body.phone) };
  }
  if (body.email === '') throw invalid('missing email or phone');
  if (!auth.email.enable_signup) throw ERRORS.emailLoginsDisabled();
  return { kind: 'email', name: body.email.toLowerCase() };
}

function findUser(tx: Tx, { kind, name }: Login): Promise<UserRow | undefined> {
  return kind === 'email' ? findUserByEmail(tx, name) : findUserByPhone(tx, name);
}

async function findByPassword(input: RequestContext<TokenBody>, login: Login): Promise<UserRow | undefined> {
  const { context, body, device, at } = input;
  const { user, known } = await context.database.asOwner(async (tx) => {
    const found = await findUser(tx, login);
    return { user: found, known: await hasLoggedInFrom(tx, found, device.address) };
  });
  const hasher = known ? KNOWN_ADDRESS_HASHER : createUnknownAddressHasher(toNetwork(device.address));
  if (await passwordMatches(body.password, user?.encrypted_password, hasher)) return user;
  const entry = { action: 'login_failed', actorId: user?.id, address: device.address, at } as const;
  await context.database.asOwner((tx) => audit(tx, entry));
  return undefined;
}

/** Warns about a password that would not be accepted today. `found`: the account whose password was compared. */
async function openLogin(input: RequestContext<TokenBody>, found: UserRow, kind: Login['kind']) {
  const { context, body, device } = input;
  const session = await context.database.asOwner(async (tx) => {
    const user = await lockUser(tx, found.id);
    // A password that was changed while it was compared has ended every session, so it opens none.
    if (user?.encrypted_password !== found.encrypted_password) throw ERRORS.invalidCredentials();
    if (isBanned(user, context.now())) throw ERRORS.bannedLogin();
    if (kind === 'email' && user.email_confirmed_at === null) throw ERRORS.emailNotConfirmed();
    if (kind === 'phone' && user.phone_confirmed_at === null) throw ERRORS.phoneNotConfirmed();
    return openSession(context, tx, { user, method: 'password', device, provider: kind });
  });
  const weakness = await findWeakness(body.password, context).catch(() => undefined);
  return weakness === undefined ? session : { ...session, weak_password: weakness };
}

function isKnown({ context, device }: RequestContext<TokenBody>, login: Login): Promise<boolean> {
  return context.database.asOwner(async (tx) => hasLoggedInFrom(tx, await findUser(tx, login), device.address));
}

/** Whether the account was logged in to from this address. Asks the database where there is no account, too. */
async function hasLoggedInFrom(tx: Tx, user: UserRow | undefined, address: string | undefined): Promise<boolean> {
  return address !== undefined && (await hasAuditEntry(tx, user?.id ?? NIL_UUID, 'login', address));
}

const SCOPES = new Set(['global', 'local', 'others']);

/** POST /logout?scope=global|local|others → 204. A session's tokens go with it. */
export const logout = userRoute(
  { method: 'POST', url: '/logout' },
  async ({ context, request, reply, device, at }, me) => {
    const scope = readQuery(request, 'scope') || 'global';
    if (!SCOPES.has(scope)) throw invalid(`Unsupported logout scope "${scope}"`);
    await context.database.asOwner(async (tx) => {
      await endSessions(tx, scope, me);
      await audit(tx, { action: 'logout', actorId: me.user.id, address: device.address, at });
    });
    return reply.code(204).send();
  },
);

/** A token without a session, issued elsewhere, ends all sessions. */
async function endSessions(tx: Tx, scope: string, { user, session }: SignedIn): Promise<void> {
  if (session === undefined || scope === 'global') return deleteUserSessions(tx, user.id, undefined);
  if (scope === 'others') return deleteUserSessions(tx, user.id, session.id);
  return deleteSession(tx, session.id);
}
