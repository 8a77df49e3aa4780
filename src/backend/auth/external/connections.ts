import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as openid from 'openid-client';
import type { Outbound } from '../outbound.ts';
import type { Place, Provider } from './providers.ts';

/** Talks to other providers; what discovery found is remembered for a while. */
export type Connections = Readonly<{
  /** Rejects where discovery fails. */
  to: (provider: Provider) => Promise<openid.Configuration>;
  /** The keys it signs ID tokens with; undefined where it publishes none. */
  keysOf: (provider: Provider) => Promise<JWTVerifyGetKey | undefined>;
}>;

type Known = { config: openid.Configuration; keys?: JWTVerifyGetKey; until: number };

const REMEMBERED_MS = 3_600_000;

export function createConnections(outbound: Outbound, now: () => number): Connections {
  const remembered = new Map<string, Known>();
  const find = async (provider: Provider): Promise<Known> => {
    const known = remembered.get(provider.name);
    if (known !== undefined && now() < known.until) return known;
    const config = await connect(provider, provider.place, outbound);
    const fresh = { config, until: now() + REMEMBERED_MS };
    remembered.set(provider.name, fresh);
    return fresh;
  };
  return {
    to: async (provider) => (await find(provider)).config,
    keysOf: async (provider) => {
      const known = await find(provider);
      const address = known.config.serverMetadata().jwks_uri;
      if (address === undefined) return undefined;
      known.keys ??= createRemoteJWKSet(new URL(address), { [customFetch]: (url, request) => outbound(url, request) });
      return known.keys;
    },
  };
}

async function connect(provider: Provider, place: Place, outbound: Outbound): Promise<openid.Configuration> {
  const { clientId, secret } = provider;
  const fetch: openid.CustomFetch = (url, options) => outbound(url, options);
  if (place.kind === 'oauth') {
    const server = { issuer: place.authorize, authorization_endpoint: place.authorize, token_endpoint: place.token };
    return prepared(
      new openid.Configuration(server, clientId, {}, openid.ClientSecretPost(secret)),
      fetch,
      place.token,
    );
  }
  const config = await openid.discovery(new URL(place.issuer), clientId, {}, byPreference(secret), {
    [openid.customFetch]: fetch,
    ...(isPlain(place.issuer) ? { execute: [openid.allowInsecureRequests] } : {}),
  });
  // The library would trust TLS alone for a token that comes with the answer; upstream checks its signature.
  openid.enableNonRepudiationChecks(config);
  return prepared(config, fetch, place.issuer);
}

function prepared(config: openid.Configuration, fetch: openid.CustomFetch, address: string): openid.Configuration {
  config[openid.customFetch] = fetch;
  if (isPlain(address)) openid.allowInsecureRequests(config);
  return config;
}

/** The way out refuses plain http to any host that the operator has not listed. */
function isPlain(address: string): boolean {
  return address.startsWith('http:');
}

/** `client_secret_basic` is what a provider means that names no method (OpenID Connect Discovery §3). */
function byPreference(secret: string): openid.ClientAuth {
  if (secret === '') return openid.None();
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const method = methods === undefined || methods.includes('client_secret_basic') ? basic : post;
    return method(server, client, body, headers);
  };
}
