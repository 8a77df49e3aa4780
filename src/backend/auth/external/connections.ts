import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from 'jose';
import * as openid from 'openid-client';
import type { Outbound } from '../outbound.ts';
import type { Endpoints, Provider } from './providers.ts';

type Known = { config: openid.Configuration; keys?: JWTVerifyGetKey; until: number };

const REMEMBERED_MS = 3_600_000;

/** Connections to other providers, with their discovery documents cached. */
export function createConnections(outbound: Outbound, now: () => number) {
  const remembered = new Map<string, Known>();
  const findConnection = async (provider: Provider): Promise<Known> => {
    const known = remembered.get(provider.name);
    if (known !== undefined && now() < known.until) return known;
    const config = await connect(provider, provider.endpoints, outbound);
    const connection = { config, until: now() + REMEMBERED_MS };
    remembered.set(provider.name, connection);
    return connection;
  };
  return {
    /** Rejects where discovery fails. */
    discover: async (provider: Provider): Promise<openid.Configuration> => (await findConnection(provider)).config,
    /** The provider's keys for ID tokens; undefined where it publishes none. */
    fetchKeys: async (provider: Provider): Promise<JWTVerifyGetKey | undefined> => {
      const known = await findConnection(provider);
      const address = known.config.serverMetadata().jwks_uri;
      if (address === undefined) return undefined;
      known.keys ??= createRemoteJWKSet(new URL(address), { [customFetch]: (url, request) => outbound(url, request) });
      return known.keys;
    },
  };
}

export type Connections = ReturnType<typeof createConnections>;

async function connect(provider: Provider, endpoints: Endpoints, outbound: Outbound): Promise<openid.Configuration> {
  const { clientId, secret } = provider;
  const fetch: openid.CustomFetch = (url, options) => outbound(url, options);
  if (endpoints.kind === 'oauth') {
    const server = {
      issuer: endpoints.authorize,
      authorization_endpoint: endpoints.authorize,
      token_endpoint: endpoints.token,
    };
    return prepare(
      new openid.Configuration(server, clientId, {}, openid.ClientSecretPost(secret)),
      fetch,
      endpoints.token,
    );
  }
  const config = await openid.discovery(new URL(endpoints.issuer), clientId, {}, byPreference(secret), {
    [openid.customFetch]: fetch,
    ...(isPlain(endpoints.issuer) ? { execute: [openid.allowInsecureRequests] } : {}),
  });
  // The library trusts TLS alone for a token from the token endpoint; upstream checks its signature.
  openid.enableNonRepudiationChecks(config);
  return prepare(config, fetch, endpoints.issuer);
}

function prepare(config: openid.Configuration, fetch: openid.CustomFetch, address: string): openid.Configuration {
  config[openid.customFetch] = fetch;
  if (isPlain(address)) openid.allowInsecureRequests(config);
  return config;
}

/** Outbound requests refuse plain http to hosts that the operator has not listed. */
function isPlain(address: string): boolean {
  return address.startsWith('http:');
}

/** `client_secret_basic` is the default of a provider that names no method (OpenID Connect Discovery §3). */
function byPreference(secret: string): openid.ClientAuth {
  if (secret === '') return openid.None();
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const method = methods === undefined || methods.includes('client_secret_basic') ? basic : post;
    return method(server, client, body, headers);
  };
}
