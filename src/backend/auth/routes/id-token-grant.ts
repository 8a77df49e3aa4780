import { createHash, timingSafeEqual } from 'node:crypto';
import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import type { Tx } from '../../database/index.ts';
import { requireUser } from '../authenticate.ts';
import type { AuthContext } from '../context.ts';
import { AuthError, ERRORS, invalid, oauthError } from '../errors.ts';
import { addIdentity } from '../external/link-identity.ts';
import { parseIdTokenProfile } from '../external/openid-profile.ts';
import { getIssuer, ProviderError, getProvider, type Provider } from '../external/providers.ts';
import { signInWithIdentity, type SignInOutcome } from '../external/sign-in-with-identity.ts';
import type { RequestContext } from '../route.ts';
import { openSession, type SessionJson } from '../sessions/issue.ts';
import type { TokenBody } from './token-body.ts';

const INVALID = 'invalid request';

/** Opens a session for an ID token of a configured provider (supabase-contract §1.4). */
export async function idTokenGrant(input: RequestContext<TokenBody>): Promise<SessionJson> {
  const { context, body, device } = input;
  if (body.id_token === '') throw oauthError(INVALID, 'id_token required');
  if (body.provider === '' && (body.client_id === '' || body.issuer === '')) {
    throw oauthError(INVALID, 'provider or client_id and issuer required');
  }
  const target = body.link_identity ? await requireLinkingTarget(input) : undefined;
  const provider = findIssuingProvider(context, body);
  const claims = await verifyToken(input, provider);
  checkAudience(claims, provider);
  if (!provider.skipNonceCheck) checkNonce(claims['nonce'], body.nonce);
  const profile = parseIdTokenProfile(provider, claims);
  const identity = { provider: provider.name, emailOptional: provider.emailOptional, profile };
  const signIn = (tx: Tx): Promise<SignInOutcome> =>
    target === undefined ? signInWithIdentity(tx, input, identity) : addIdentity(tx, input, identity, target);
  const result = await context.database.asOwner(async (tx) => {
    const outcome = await signIn(tx);
    if (outcome.kind === 'refused') return outcome;
    return openSession(context, tx, { user: outcome.user, method: 'oauth', device, provider: provider.name });
  });
  if (!('kind' in result)) return result;
  await result.send();
  throw result.error;
}

async function requireLinkingTarget({ context, request }: RequestContext<TokenBody>): Promise<string> {
  if (!context.auth.enable_manual_linking) throw ERRORS.manualLinkingDisabled();
  if ((request.headers.authorization ?? '') === '') {
    throw oauthError(INVALID, 'Linking requires a valid user access token in Authorization');
  }
  return (await requireUser(context, request)).user.id;
}

async function verifyToken(
  { context, body }: RequestContext<TokenBody>,
  provider: Provider,
): Promise<JWTPayload & { sub: string }> {
  const bad = (cause: unknown): AuthError => {
    context.log.info({ provider: provider.name, cause: String(cause) }, 'ID token refused');
    return oauthError(INVALID, 'Bad ID token');
  };
  const keys = await context.connections.fetchKeys(provider).catch((cause: unknown) => {
    context.log.warn({ provider: provider.name, cause: String(cause) }, 'identity provider not reached');
    throw ERRORS.providerSilent();
  });
  if (keys === undefined) throw bad('the provider publishes no keys');
  const { issuer } = (await context.connections.discover(provider)).serverMetadata();
  const checks = { issuer, keys, now: context.now(), accessToken: body.access_token };
  const { sub, ...claims } = await verifyIdToken(body.id_token, checks).catch((cause: unknown) => {
    throw cause instanceof IdTokenError ? bad(cause) : cause;
  });
  if (sub === undefined || sub === '') throw oauthError(INVALID, 'Missing sub claim in id_token');
  return { ...claims, sub };
}

function checkAudience({ aud }: JWTPayload, { clientIds }: Provider): void {
  const audience = [aud ?? []].flat();
  if (clientIds.some((id) => audience.includes(id))) return;
  throw oauthError(INVALID, `Unacceptable audience in id_token: [${audience.join(' ')}]`);
}

/** Requires both nonces or none; the token holds the hash of the client's secret. */
function checkNonce(claim: unknown, given: string): void {
  const inToken = typeof claim === 'string' ? claim : '';
  if ((inToken === '') !== (given === '')) {
    throw oauthError(INVALID, 'Passed nonce and nonce in id_token should either both exist or not.');
  }
  if (given === '') return;
  const expected = Buffer.from(createHash('sha256').update(given).digest('hex'));
  const actual = Buffer.from(inToken);
  const matches = expected.length === actual.length && timingSafeEqual(expected, actual);
  if (!matches) throw oauthError('invalid nonce', 'Nonces mismatch');
}

type IdTokenChecks = Readonly<{
  /** From discovery. */
  issuer: string;
  keys: JWTVerifyGetKey;
  /** Milliseconds since 1970. */
  now: number;
  /** Compared with the token's `at_hash` where both exist. */
  accessToken: string;
}>;

class IdTokenError extends Error {}

const CLOCK_TOLERANCE_S = 30;
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Verifies signature, issuer and times of an ID token. The caller checks audience and nonce. Throws IdTokenError. */
async function verifyIdToken(token: string, checks: IdTokenChecks): Promise<JWTPayload> {
  const { issuer, keys, now, accessToken } = checks;
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    currentDate: new Date(now),
    requiredClaims: ['iss', 'aud', 'exp', 'iat'],
  }).catch((cause: unknown) => {
    throw new IdTokenError('not a token of this provider', { cause });
  });
  // Microsoft's shared endpoint puts the tenant into the issuer.
  const expected = issuer.replace('{tenantid}', String(payload['tid']));
  if (payload.iss !== expected) throw new IdTokenError('another issuer');
  const hash = payload['at_hash'];
  if (accessToken !== '' && typeof hash === 'string' && hash !== hashLeftHalf(accessToken, protectedHeader.alg)) {
    throw new IdTokenError('at_hash does not match');
  }
  return payload;
}

/** OpenID Connect Core §3.1.3.6: the left half of the hash that the signature uses. */
function hashLeftHalf(accessToken: string, algorithm: string): string {
  const bits = /\d{3}$/.exec(algorithm)?.[0] ?? '512';
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

type IssuerName = Readonly<{ provider: string; client_id: string; issuer: string }>;

/** Finds the configured provider of an ID token, by its name or by issuer and client. Throws AuthError. */
function findIssuingProvider({ auth, externalUrl }: AuthContext, named: IssuerName): Provider {
  const name = named.provider === '' ? findProviderName(auth, externalUrl, named) : named.provider.toLowerCase();
  const issuer = name === undefined ? undefined : getIssuer(auth, name);
  if (name === undefined || issuer === undefined) throw notAllowed(named);
  if (auth.external[name]?.enabled !== true) {
    throw new AuthError(400, 'provider_disabled', `Provider (issuer "${issuer}") is not enabled`);
  }
  const provider = findProvider(auth, externalUrl, name);
  if (provider === undefined) throw notAllowed(named);
  return provider;
}

function notAllowed({ provider }: IssuerName): AuthError {
  return invalid(`Custom OIDC provider "${provider}" not allowed`);
}

type Auth = AuthContext['auth'];

function findProviderName(auth: Auth, externalUrl: string, named: IssuerName): string | undefined {
  return Object.keys(auth.external).find((name) => {
    const provider = findProvider(auth, externalUrl, name);
    if (provider?.endpoints.kind !== 'openid' || !provider.clientIds.includes(named.client_id)) return false;
    return isIssuer(provider.endpoints.issuer, named.issuer);
  });
}

function findProvider(auth: Auth, externalUrl: string, name: string): Provider | undefined {
  try {
    return getProvider(auth, externalUrl, name);
  } catch (error) {
    if (error instanceof ProviderError) return undefined;
    throw error;
  }
}

/** Microsoft's tenants share one discovery address but have separate issuers. */
function isIssuer(configured: string, given: string): boolean {
  if (configured === given) return true;
  const shared = /^https:\/\/login\.microsoftonline\.com\/(?:common|organizations|consumers)\/v2\.0$/;
  return shared.test(configured) && /^https:\/\/login\.microsoftonline\.com\/[0-9a-f-]{36}\/v2\.0$/.test(given);
}
