import { createHash, timingSafeEqual } from 'node:crypto';
import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { Tx } from '../../database/index.ts';
import { requireUser } from '../authenticate.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, FAULTS, invalid, oauthFault } from '../errors.ts';
import { linkTo } from '../external/link-identity.ts';
import { profileOfIdToken } from '../external/openid-profile.ts';
import { issuerOf, ProviderError, providerOf, type Provider } from '../external/providers.ts';
import { enterFrom, type Outcome } from '../external/sign-in-with-identity.ts';
import type { Ask } from '../route.ts';
import { openSession, type SessionJson } from '../sessions/issue.ts';
import type { TokenBody } from './token-body.ts';

const INVALID = 'invalid request';

/** Opens a session for whoever brings an ID token of a configured provider (supabase-contract §1.4). */
export async function idTokenGrant(ask: Ask<TokenBody>): Promise<SessionJson> {
  const { context, body, device } = ask;
  if (body.id_token === '') throw oauthFault(INVALID, 'id_token required');
  if (body.provider === '' && (body.client_id === '' || body.issuer === '')) {
    throw oauthFault(INVALID, 'provider or client_id and issuer required');
  }
  const target = body.link_identity ? await linkingTarget(ask) : undefined;
  const provider = issuingProvider(context, body);
  const claims = await verified(ask, provider);
  checkAudience(claims, provider);
  if (!provider.skipNonceCheck) checkNonce(claims['nonce'], body.nonce);
  const profile = profileOfIdToken(provider, claims);
  const arrived = { provider: provider.name, emailOptional: provider.emailOptional, profile };
  const enter = (tx: Tx): Promise<Outcome> =>
    target === undefined ? enterFrom(tx, ask, arrived) : linkTo(tx, ask, arrived, target);
  const done = await context.database.asOwner(async (tx) => {
    const outcome = await enter(tx);
    if (outcome.kind === 'refused') return outcome;
    return openSession(context, tx, { user: outcome.user, method: 'oauth', device, provider: provider.name });
  });
  if (!('kind' in done)) return done;
  await done.send();
  throw done.fault;
}

async function linkingTarget({ context, request }: Ask<TokenBody>): Promise<string> {
  if (!context.auth.enable_manual_linking) throw FAULTS.manualLinkingDisabled();
  if ((request.headers.authorization ?? '') === '') {
    throw oauthFault(INVALID, 'Linking requires a valid user access token in Authorization');
  }
  return (await requireUser(context, request)).user.id;
}

async function verified({ context, body }: Ask<TokenBody>, provider: Provider): Promise<JWTPayload & { sub: string }> {
  const bad = (cause: unknown): AuthError => {
    context.log.info({ provider: provider.name, cause: String(cause) }, 'ID token refused');
    return oauthFault(INVALID, 'Bad ID token');
  };
  const keys = await context.connections.keysOf(provider).catch((cause: unknown) => {
    context.log.warn({ provider: provider.name, cause: String(cause) }, 'identity provider not reached');
    throw FAULTS.providerSilent();
  });
  if (keys === undefined) throw bad('the provider publishes no keys');
  const { issuer } = (await context.connections.to(provider)).serverMetadata();
  const checks = { issuer, keys, now: context.now(), accessToken: body.access_token };
  const { sub, ...claims } = await verifiedIdToken(body.id_token, checks).catch((cause: unknown) => {
    throw cause instanceof IdTokenError ? bad(cause) : cause;
  });
  if (sub === undefined || sub === '') throw oauthFault(INVALID, 'Missing sub claim in id_token');
  return { ...claims, sub };
}

function checkAudience({ aud }: JWTPayload, { clientIds }: Provider): void {
  const audience = [aud ?? []].flat();
  if (clientIds.some((id) => audience.includes(id))) return;
  throw oauthFault(INVALID, `Unacceptable audience in id_token: [${audience.join(' ')}]`);
}

/** Both or none; the token holds the hash of what only this client knows. */
function checkNonce(claim: unknown, given: string): void {
  const inToken = typeof claim === 'string' ? claim : '';
  if ((inToken === '') !== (given === '')) {
    throw oauthFault(INVALID, 'Passed nonce and nonce in id_token should either both exist or not.');
  }
  if (given === '') return;
  const expected = Buffer.from(createHash('sha256').update(given).digest('hex'));
  const actual = Buffer.from(inToken);
  const matches = expected.length === actual.length && timingSafeEqual(expected, actual);
  if (!matches) throw oauthFault('invalid nonce', 'Nonces mismatch');
}

type IdTokenChecks = Readonly<{
  /** As discovery found it. */
  issuer: string;
  keys: JWTVerifyGetKey;
  /** Milliseconds since 1970. */
  now: number;
  /** Checked against the token's `at_hash` where both are there. */
  accessToken: string;
}>;

class IdTokenError extends Error {}

const CLOCK_TOLERANCE_S = 30;
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/**
 * Signature, issuer and times of an ID token that a client brings; audience and nonce have words of their own. Throws
 * IdTokenError.
 */
async function verifiedIdToken(token: string, checks: IdTokenChecks): Promise<JWTPayload> {
  const { issuer, keys, now, accessToken } = checks;
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    currentDate: new Date(now),
    requiredClaims: ['iss', 'aud', 'exp', 'iat'],
  }).catch((cause: unknown) => {
    throw new IdTokenError('not a token of this provider', { cause });
  });
  // One tenant of many names itself in the issuer (Microsoft).
  const expected = issuer.replace('{tenantid}', String(payload['tid']));
  if (payload.iss !== expected) throw new IdTokenError('another issuer');
  const hash = payload['at_hash'];
  if (accessToken !== '' && typeof hash === 'string' && hash !== halfHash(accessToken, protectedHeader.alg)) {
    throw new IdTokenError('at_hash does not match');
  }
  return payload;
}

/** OpenID Connect Core §3.1.3.6: the left half of the hash that the signature uses. */
function halfHash(accessToken: string, algorithm: string): string {
  const bits = /\d{3}$/.exec(algorithm)?.[0] ?? '512';
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

type Issuing = Readonly<{ provider: string; client_id: string; issuer: string }>;

/** The configured provider whose ID token this is, by its name or by issuer and client. Throws AuthError. */
function issuingProvider({ auth, externalUrl }: AuthContext, named: Issuing): Provider {
  const name = named.provider === '' ? nameOf(auth, externalUrl, named) : named.provider.toLowerCase();
  const issuer = name === undefined ? undefined : issuerOf(auth, name);
  if (name === undefined || issuer === undefined) throw notAllowed(named);
  if (auth.external[name]?.enabled !== true) {
    throw new AuthError(400, 'provider_disabled', `Provider (issuer "${issuer}") is not enabled`);
  }
  const provider = find(auth, externalUrl, name);
  if (provider === undefined) throw notAllowed(named);
  return provider;
}

function notAllowed({ provider }: Issuing): AuthError {
  return invalid(`Custom OIDC provider "${provider}" not allowed`);
}

type Auth = AuthContext['auth'];

function nameOf(auth: Auth, externalUrl: string, named: Issuing): string | undefined {
  return Object.keys(auth.external).find((name) => {
    const provider = find(auth, externalUrl, name);
    if (provider?.place.kind !== 'openid' || !provider.clientIds.includes(named.client_id)) return false;
    return isIssuer(provider.place.issuer, named.issuer);
  });
}

function find(auth: Auth, externalUrl: string, name: string): Provider | undefined {
  try {
    return providerOf(auth, externalUrl, name);
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

/** Microsoft's tenants share one discovery address and have an issuer each. */
function isIssuer(configured: string, given: string): boolean {
  if (configured === given) return true;
  const shared = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)\/v2\.0$/;
  return shared.test(configured) && /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/.test(given);
}
