import type { AuthContext } from '../context.ts';
import { AuthError, invalid } from '../errors.ts';
import { issuerOf, ProviderError, providerOf, type Provider } from './providers.ts';

export type Issuing = Readonly<{ provider: string; client_id: string; issuer: string }>;

/** The configured provider whose ID token this is, by its name or by issuer and client. Throws AuthError. */
export function issuingProvider({ auth, externalUrl }: AuthContext, named: Issuing): Provider {
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
