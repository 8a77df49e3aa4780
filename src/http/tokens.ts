import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  jwtVerify,
  type JWK,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
} from 'jose';
import { CodedError } from '#lib/error-code.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** Why a token is refused. Each service has its own messages. */
export type TokenErrorCode = 'malformed' | 'no-key' | 'signature' | 'expired' | 'not-yet-valid' | 'issuer' | 'audience';

export class TokenError extends CodedError<TokenErrorCode> {}

export type TokenVerifier = (token: string) => Promise<Claims>;

export type VerifierKeys = Readonly<{
  /** Keys this server signs with: their tokens must carry its issuer and audience. */
  own: readonly JWK[];
  /** Keys of other issuers (a hosted project, a JWK file): signature and times are checked. */
  trusted?: readonly JWK[] | JWTVerifyGetKey;
  /** Shared secret for HS256 tokens. Without it, no HS256 token is accepted. */
  secret?: string | undefined;
  issuer: string;
  audience: string;
}>;

const CLOCK_TOLERANCE_S = 30;

/** Checks signature by key id and algorithm, times, and for own keys issuer and audience. Throws TokenError. */
export function createTokenVerifier(keys: VerifierKeys): TokenVerifier {
  const own = createLocalJWKSet({ keys: [...keys.own] });
  const trusted =
    typeof keys.trusted === 'function' ? keys.trusted : createLocalJWKSet({ keys: [...(keys.trusted ?? [])] });
  const ownIds = new Set(keys.own.map((key) => key.kid));
  const secret = keys.secret === undefined ? undefined : new TextEncoder().encode(keys.secret);
  return async (token) => {
    const { alg, kid } = header(token);
    if (alg === 'HS256') {
      if (secret === undefined) throw new TokenError('no-key', 'No suitable key or wrong key type');
      return check(() => jwtVerify(token, secret, options('HS256')));
    }
    if (alg !== 'ES256' && alg !== 'RS256') throw new TokenError('no-key', 'No suitable key or wrong key type');
    if (kid !== undefined && ownIds.has(kid)) {
      return check(() => jwtVerify(token, own, { ...options(alg), issuer: keys.issuer, audience: keys.audience }));
    }
    return check(() => jwtVerify(token, trusted, options(alg)));
  };
}

function options(algorithm: string): JWTVerifyOptions {
  return { algorithms: [algorithm], clockTolerance: CLOCK_TOLERANCE_S };
}

function header(token: string): { alg?: string | undefined; kid?: string | undefined } {
  const parts = token.split('.').length;
  if (parts !== 3) throw new TokenError('malformed', `Expected 3 parts in JWT; got ${parts}`);
  try {
    return decodeProtectedHeader(token);
  } catch (cause) {
    throw new TokenError('malformed', 'JWT cryptographic operation failed', { cause });
  }
}

async function check(verify: () => Promise<{ payload: JWTPayload }>): Promise<Claims> {
  try {
    return { ...(await verify()).payload };
  } catch (cause) {
    throw tokenError(cause);
  }
}

function tokenError(cause: unknown): TokenError {
  if (cause instanceof errors.JWTExpired) return new TokenError('expired', 'JWT expired', { cause });
  if (cause instanceof errors.JWTClaimValidationFailed) return claimError(cause);
  if (cause instanceof errors.JWKSNoMatchingKey || cause instanceof errors.JWKSMultipleMatchingKeys) {
    return new TokenError('no-key', 'No suitable key or wrong key type', { cause });
  }
  if (cause instanceof errors.JWSSignatureVerificationFailed) {
    return new TokenError('signature', 'JWT cryptographic operation failed', { cause });
  }
  return new TokenError('malformed', 'JWT cryptographic operation failed', { cause });
}

function claimError(cause: errors.JWTClaimValidationFailed): TokenError {
  if (cause.claim === 'aud') return new TokenError('audience', 'JWT not in audience', { cause });
  if (cause.claim === 'iss') return new TokenError('issuer', 'JWT issuer not accepted', { cause });
  return new TokenError('not-yet-valid', 'JWT not yet valid', { cause });
}

const MAX_TOKENS = 1_000;
// A token is verified again at least this often, even where it is valid for longer.
const MAX_AGE_MS = 300_000;

/** Caches verified tokens until they expire, because a signature costs more than the query it guards. */
export function cacheVerified(verify: TokenVerifier, now: () => number = Date.now): TokenVerifier {
  const good = new Map<string, { claims: Claims; until: number }>();
  return async (token) => {
    const known = good.get(token);
    if (known !== undefined && now() < known.until) return known.claims;
    good.delete(token);
    const claims = await verify(token);
    const end = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : now();
    if (good.size >= MAX_TOKENS) good.delete(good.keys().next().value ?? '');
    good.set(token, { claims, until: Math.min(end, now() + MAX_AGE_MS) });
    return claims;
  };
}
