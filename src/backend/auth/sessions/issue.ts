import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { parseDuration } from '../durations.ts';
import { ERRORS } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import type { FlowMethod } from '../repository/flows.ts';
import { findIdentities, touchIdentity, type IdentityRow } from '../repository/identities.ts';
import {
  addAmr,
  findAmr,
  endSessionAt,
  insertRefreshToken,
  insertSession,
  lockSession,
  raiseSessionToAal2,
  revokeFamily,
  type Amr,
  type Device,
  type SessionRow,
} from '../repository/sessions.ts';
import { updateUser, type UserRow } from '../repository/users.ts';
import { userJson } from '../user-json.ts';
import { getSessionEnd } from './session-limits.ts';
import { hashToken } from './token-chain.ts';

/** Session as the client reads it (supabase-contract §1.2). */
export type SessionJson = Readonly<{
  access_token: string;
  token_type: 'bearer';
  /** Seconds. */
  expires_in: number;
  /** Seconds since 1970. */
  expires_at: number;
  refresh_token: string;
  user: Record<string, unknown>;
}>;

type Login = Readonly<{
  user: UserRow;
  method: 'password' | 'otp' | 'anonymous' | FlowMethod;
  device: Device;
  /** The identity's provider; the default is the e-mail address. */
  provider?: string;
  /** The fixed end of the session. */
  notAfter?: Date;
}>;

/** Opens a session for an authenticated user. */
export async function openSession(context: AuthContext, tx: Tx, login: Login): Promise<SessionJson> {
  const at = new Date(context.now());
  const user = await updateUser(tx, login.user.id, { last_sign_in_at: at }, at);
  await touchIdentity(tx, user.id, login.provider ?? 'email', at);
  const session = await insertSession(tx, user.id, login.device, at);
  await addAmr(tx, session.id, login.method, at);
  if (login.notAfter !== undefined) await endSessionAt(tx, session.id, login.notAfter);
  const token = context.chain.create();
  await insertRefreshToken(tx, { hash: hashToken(token), parent: null, userId: user.id, sessionId: session.id }, at);
  const traits = { provider: login.provider ?? 'email' };
  await audit(tx, { action: 'login', actorId: user.id, address: login.device.address, traits, at });
  return loadSessionJson(context, tx, user, { ...session, not_after: login.notAfter ?? null }, token);
}

async function loadSessionJson(
  context: AuthContext,
  tx: Tx,
  user: UserRow,
  session: SessionRow,
  refreshToken: string,
): Promise<SessionJson> {
  const [identities, logins] = await Promise.all([findIdentities(tx, [user.id]), findAmr(tx, session.id)]);
  return createSessionJson(context, { user, session, identities, logins }, refreshToken);
}

type SessionFacts = Readonly<{
  user: UserRow;
  session: SessionRow;
  identities: readonly IdentityRow[];
  logins: Amr;
}>;

/** Signs the access token. */
export async function createSessionJson(
  context: AuthContext,
  { user, session, identities, logins }: SessionFacts,
  refreshToken: string,
): Promise<SessionJson> {
  const issuedAt = Math.floor(context.now() / 1_000);
  const lifetime = getTokenLifetime(context, session);
  const claims = {
    iss: context.keys.issuer,
    sub: user.id,
    aud: user.aud ?? 'authenticated',
    exp: issuedAt + lifetime,
    iat: issuedAt,
    email: user.email ?? '',
    phone: user.phone ?? '',
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    role: user.role ?? 'authenticated',
    aal: session.aal ?? 'aal1',
    amr: withSsoProvider(logins, identities),
    session_id: session.id,
    is_anonymous: user.is_anonymous,
  };
  return {
    access_token: await context.keys.sign(claims),
    token_type: 'bearer',
    expires_in: lifetime,
    expires_at: issuedAt + lifetime,
    refresh_token: refreshToken,
    user: userJson(user, identities),
  };
}

/** Seconds; an access token does not outlive its session (ASVS 7.3.2). */
function getTokenLifetime({ auth, now }: AuthContext, session: SessionRow): number {
  const left = getSessionEnd(session, parseDuration(auth.sessions.timebox)) - now();
  return Math.max(1, Math.min(auth.jwt_expiry, Math.floor(left / 1_000)));
}

/** Adds the provider's id to company sign-on (supabase-contract §1.2). */
function withSsoProvider(amr: Amr, identities: readonly IdentityRow[]): Amr {
  const [only, ...others] = identities;
  if (only === undefined || others.length > 0 || !only.provider.startsWith('sso:')) return amr;
  const provider = only.provider.slice('sso:'.length);
  return amr.map((login) => (login.method === 'sso/saml' ? { ...login, provider } : login));
}

export type SecondFactorMethod = 'totp' | 'mfa/phone' | 'mfa/webauthn';

type Upgrade = Readonly<{
  user: UserRow;
  sessionId: string;
  factorId: string;
  method: SecondFactorMethod;
  at: Date;
}>;

/**
 * Upgrades a session to aal2 after a second factor. Its new refresh token does not derive from the old one, whose
 * holder may lack the second factor. Throws AuthError where the session does not exist.
 */
export async function upgradeSession(context: AuthContext, tx: Tx, upgrade: Upgrade): Promise<SessionJson> {
  const { user, sessionId, factorId, method, at } = upgrade;
  const session = await lockSession(tx, sessionId);
  if (session === undefined) throw ERRORS.sessionNotFound();
  await addAmr(tx, sessionId, method, at);
  await revokeFamily(tx, sessionId, at);
  const token = context.chain.create();
  await insertRefreshToken(tx, { hash: hashToken(token), parent: null, userId: user.id, sessionId }, at);
  await raiseSessionToAal2(tx, sessionId, factorId, at);
  return loadSessionJson(context, tx, user, { ...session, aal: 'aal2' }, token);
}
