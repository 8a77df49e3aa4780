import { createHash } from 'node:crypto';
import { jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';

export type IdTokenChecks = Readonly<{
  /** As discovery found it. */
  issuer: string;
  keys: JWTVerifyGetKey;
  /** Milliseconds since 1970. */
  now: number;
  /** Checked against the token's `at_hash` where both are there. */
  accessToken: string;
}>;

export class IdTokenError extends Error {}

const CLOCK_TOLERANCE_S = 30;
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Signature, issuer and times of an ID token that a client brings; audience and nonce have words of their own. Throws IdTokenError. */
export async function verifiedIdToken(token: string, checks: IdTokenChecks): Promise<JWTPayload> {
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
