import type { Tx } from '../../database/index.ts';
import type { AuthContext } from '../context.ts';
import { durationMs } from '../durations.ts';
import { FAULTS } from '../errors.ts';
import { audit } from '../repository/audit.ts';
import type { FlowMethod } from '../repository/flows.ts';
import { identitiesOf, touchIdentity, type IdentityRow } from '../repository/identities.ts';
import {
  addAmr,
  amrOf,
  endSessionAt,
  insertRefreshToken,
  insertSession,
  lockSession,
  raiseSession,
  revokeFamily,
  type Amr,
  type Device,
  type SessionRow,
} from '../repository/sessions.ts';
import { updateUser, type UserRow } from '../repository/users.ts';
import { userJson } from '../user-json.ts';
import { endOfSession } from './reuse.ts';
import { tokenHash } from './token-chain.ts';

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

type Entry = Readonly<{
  user: UserRow;
  method: 'password' | 'otp' | 'anonymous' | FlowMethod;
  device: Device;
  /** Through which identity; without one the user's e-mail address. */
  provider?: string;
  /** When the session ends, whatever is done with it. */
  notAfter?: Date;
}>;

/** Opens a new session for a user who has just proved to be one. */
export async function openSession(context: AuthContext, tx: Tx, entry: Entry): Promise<SessionJson> {
  const at = new Date(context.now());
  const user = await updateUser(tx, entry.user.id, { last_sign_in_at: at }, at);
  await touchIdentity(tx, user.id, entry.provider ?? 'email', at);
  const session = await insertSession(tx, user.id, entry.device, at);
  await addAmr(tx, session.id, entry.method, at);
  if (entry.notAfter !== undefined) await endSessionAt(tx, session.id, entry.notAfter);
  const token = context.chain.fresh();
  await insertRefreshToken(tx, { hash: tokenHash(token), parent: null, userId: user.id, sessionId: session.id }, at);
  const traits = { provider: entry.provider ?? 'email' };
  await audit(tx, { action: 'login', actorId: user.id, address: entry.device.address, traits, at });
  return sessionJson(context, tx, user, { ...session, not_after: entry.notAfter ?? null }, token);
}

export async function sessionJson(
  context: AuthContext,
  tx: Tx,
  user: UserRow,
  session: SessionRow,
  refreshToken: string,
): Promise<SessionJson> {
  const issuedAt = Math.floor(context.now() / 1_000);
  const lifetime = tokenLifetime(context, session);
  const identities = await identitiesOf(tx, [user.id]);
  const amr = withSsoProvider(await amrOf(tx, session.id), identities);
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
    amr,
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
function tokenLifetime({ auth, now }: AuthContext, session: SessionRow): number {
  const { timebox } = auth.sessions;
  const left = endOfSession(session, timebox === undefined ? undefined : durationMs(timebox)) - now();
  return Math.max(1, Math.min(auth.jwt_expiry, Math.floor(left / 1_000)));
}

/** Company sign-on says whose it was (supabase-contract §1.2). */
function withSsoProvider(amr: Amr, identities: readonly IdentityRow[]): Amr {
  const [only, ...others] = identities;
  if (only === undefined || others.length > 0 || !only.provider.startsWith('sso:')) return amr;
  const provider = only.provider.slice('sso:'.length);
  return amr.map((entry) => (entry.method === 'sso/saml' ? { ...entry, provider } : entry));
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
 * Lifts a session that has shown a second factor to aal2. Its refresh token is a new one that does not follow from the
 * old: whoever holds that one got it without the second factor. Throws AuthError where the session is gone.
 */
export async function upgradeSession(context: AuthContext, tx: Tx, upgrade: Upgrade): Promise<SessionJson> {
  const { user, sessionId, factorId, method, at } = upgrade;
  const session = await lockSession(tx, sessionId);
  if (session === undefined) throw FAULTS.sessionGone();
  await addAmr(tx, sessionId, method, at);
  await revokeFamily(tx, sessionId, at);
  const token = context.chain.fresh();
  await insertRefreshToken(tx, { hash: tokenHash(token), parent: null, userId: user.id, sessionId }, at);
  await raiseSession(tx, sessionId, factorId, at);
  return sessionJson(context, tx, user, { ...session, aal: 'aal2' }, token);
}
