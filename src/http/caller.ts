import type { IncomingHttpHeaders } from 'node:http';
import type { Claims, TokenVerifier } from './tokens.ts';

/** `role` is a database role; `token` is the raw bearer where it was a JWT. */
export type Caller = Readonly<{ role: string; claims: Claims; token: string | undefined }>;

export type CallerKeys = Readonly<{
  /** Role of an opaque key (`sb_publishable_…`, `sb_secret_…`), or undefined where it is none of ours. */
  roleOfKey: (key: string) => string | undefined;
  verify: TokenVerifier;
}>;

export const ANONYMOUS: Caller = { role: 'anon', claims: { role: 'anon' }, token: undefined };

const BEARER = /^Bearer\s+(\S+)\s*$/i;

export function getBearer(headers: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(headers.authorization ?? '')?.[1];
}

/**
 * Reads the caller from the headers (supabase-contract §0): a bearer that is a configured opaque key stands for that
 * key's role; any other bearer must be a valid token; without one the apikey counts; an unknown apikey is anonymous.
 * Throws TokenError.
 */
export async function identifyCaller(headers: IncomingHttpHeaders, keys: CallerKeys): Promise<Caller> {
  const bearer = getBearer(headers);
  if (bearer !== undefined) return fromCredential(bearer, keys);
  const apikey = headers['apikey'];
  if (typeof apikey !== 'string' || apikey === '') return ANONYMOUS;
  const role = keys.roleOfKey(apikey);
  if (role !== undefined) return { role, claims: { role }, token: undefined };
  if (apikey.split('.').length !== 3) return ANONYMOUS;
  return fromCredential(apikey, keys).catch(() => ANONYMOUS);
}

async function fromCredential(credential: string, keys: CallerKeys): Promise<Caller> {
  const opaque = keys.roleOfKey(credential);
  if (opaque !== undefined) return { role: opaque, claims: { role: opaque }, token: undefined };
  const claims = await keys.verify(credential);
  const role = typeof claims['role'] === 'string' ? claims['role'] : 'anon';
  return { role, claims, token: credential };
}
