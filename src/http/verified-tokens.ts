import type { Claims, TokenVerifier } from './tokens.ts';

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
