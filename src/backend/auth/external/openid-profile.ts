import * as openid from 'openid-client';
import { profileOfClaims, type ClaimsReading, type Profile } from './profile.ts';
import type { Provider } from './providers.ts';

type Claims = Readonly<Record<string, unknown>>;

/** The claims of the ID token; what is missing there the provider tells behind its userinfo address. */
export async function openidProfile(
  provider: Provider,
  config: openid.Configuration,
  answer: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers,
): Promise<Profile> {
  const claims = answer.claims();
  if (claims === undefined) throw new Error('no ID token');
  const told = config.serverMetadata().userinfo_endpoint;
  if (claims['email'] !== undefined || told === undefined) return profileOfIdToken(provider, claims);
  const more = await openid.fetchUserInfo(config, answer.access_token, claims.sub);
  return profileOfIdToken(provider, { ...more, ...claims });
}

export function profileOfIdToken(provider: Pick<Provider, 'name' | 'place'>, claims: Claims): Profile {
  return profileOfClaims(claims, readingOf(provider, claims));
}

function readingOf({ name, place }: Pick<Provider, 'name' | 'place'>, claims: Claims): ClaimsReading {
  switch (name) {
    case 'apple':
      // Apple gives no address that it has not checked.
      return { verified: true };
    case 'azure':
      return { verified: isOwnDomain(claims['xms_edov']) || (place.kind === 'openid' && isOneTenant(place.issuer)) };
    case 'google':
      return claims['hd'] === undefined ? {} : { custom: { hd: claims['hd'] } };
    default:
      return {};
  }
}

/** In a tenant of one's own its administrator vouches for addresses; elsewhere anybody may claim any address. */
function isOneTenant(issuer: string): boolean {
  return !/\/(?:common|organizations|consumers)\/v2\.0$/.test(issuer);
}

function isOwnDomain(claim: unknown): boolean {
  return claim === true || claim === 'true' || claim === '1' || claim === 1;
}
