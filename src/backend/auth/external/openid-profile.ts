import * as openid from 'openid-client';
import { z } from 'zod';
import { parseClaims, type ClaimsReading, type Profile } from './profile.ts';
import type { Provider } from './providers.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Reads the claims of the ID token, completed from the userinfo endpoint. */
export async function fetchOpenidProfile(
  provider: Provider,
  config: openid.Configuration,
  answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
): Promise<Profile> {
  const claims = answer.claims();
  if (claims === undefined) throw new Error('no ID token');
  const userinfo = config.serverMetadata().userinfo_endpoint;
  if (claims['email'] !== undefined || userinfo === undefined) return parseIdTokenProfile(provider, claims);
  const more = await openid.fetchUserInfo(config, answer.access_token, claims.sub);
  return parseIdTokenProfile(provider, { ...more, ...claims });
}

export function parseIdTokenProfile(provider: Pick<Provider, 'name' | 'endpoints'>, claims: Claims): Profile {
  return parseClaims(claims, getClaimsReading(provider, claims));
}

function getClaimsReading({ name, endpoints }: Pick<Provider, 'name' | 'endpoints'>, claims: Claims): ClaimsReading {
  switch (name) {
    case 'apple':
      // Apple verifies every address.
      return { verified: true, ...pickCustomClaims(claims, ['is_private_email', 'auth_time', 'transfer_sub']) };
    case 'kakao':
      // Kakao has no unverified addresses either, and a nickname in place of a name.
      return { verified: true };
    case 'azure':
      return { verified: isMicrosoftEmailVerified(claims['xms_edov'], endpoints) };
    case 'google':
      return pickCustomClaims(claims, ['hd']);
    default:
      return {};
  }
}

function pickCustomClaims(claims: Claims, names: readonly string[]): ClaimsReading {
  const present = names.filter((name) => claims[name] !== undefined);
  return present.length === 0 ? {} : { custom: Object.fromEntries(present.map((name) => [name, claims[name]])) };
}

/**
 * Microsoft's claim about the owner of the domain decides. Without it only a single tenant counts, whose administrator
 * verifies addresses.
 */
function isMicrosoftEmailVerified(edov: unknown, endpoints: Provider['endpoints']): boolean {
  if (edov !== undefined) return edov === true || edov === 'true' || edov === '1' || edov === 1;
  return endpoints.kind === 'openid' && !/\/(?:common|organizations|consumers)\/v2\.0$/.test(endpoints.issuer);
}

const part = z.string().max(255).default('');
const User = z.object({ name: z.object({ firstName: part, lastName: part }) });

/** Apple sends the name only at the first sign-in, beside the ID token, where it is not signed. */
export function withAppleName(profile: Profile, user: string | null): Profile {
  const name = parseAppleName(user ?? '');
  return name === '' ? profile : { ...profile, data: { ...profile.data, name, full_name: name } };
}

function parseAppleName(text: string): string {
  try {
    const { firstName, lastName } = User.parse(JSON.parse(text)).name;
    return `${firstName} ${lastName}`.trim();
  } catch {
    return '';
  }
}
