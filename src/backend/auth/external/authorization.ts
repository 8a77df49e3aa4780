import { createHash } from 'node:crypto';
import * as openid from 'openid-client';
import { AuthError } from '../errors.ts';
import type { ProviderTokens } from '../auth-code.ts';
import type { Connections } from './connections.ts';
import { fetchOpenidProfile, withAppleName } from './openid-profile.ts';
import type { Profile, ReadJson } from './profile.ts';
import { mergeScopes, type Provider } from './providers.ts';

type AuthorizationRequest = Readonly<{
  state: string;
  /** Ours towards the provider (RFC 7636); the client's own challenge never leaves this service. */
  verifier: string;
  scopes: string;
  /** Further parameters from the client. */
  extra: Readonly<Record<string, string>>;
}>;

/** Builds the provider's sign-in URL. Rejects where discovery fails. */
export async function buildAuthorizationUrl(
  connections: Connections,
  provider: Provider,
  request: AuthorizationRequest,
): Promise<string> {
  const config = await connections.discover(provider);
  const isOpenid = provider.endpoints.kind === 'openid';
  const url = openid.buildAuthorizationUrl(config, {
    ...request.extra,
    ...(isOpenid ? { nonce: deriveNonce(request.verifier) } : {}),
    redirect_uri: provider.redirectUri,
    scope: mergeScopes(request.scopes, provider.scopes).join(' '),
    state: request.state,
    code_challenge: await openid.calculatePKCECodeChallenge(request.verifier),
    code_challenge_method: 'S256',
    // Apple sends name and address only in this way.
    ...(provider.name === 'apple' ? { response_mode: 'form_post' } : {}),
  });
  return url.href;
}

type CallbackRequest = Readonly<{ params: URLSearchParams; state: string; verifier: string }>;

export type ProviderSignIn = Readonly<{ profile: Profile; tokens: ProviderTokens }>;

/** Redeems the code of a callback and reads the user's profile. Throws AuthError. */
export async function redeemCallback(
  connections: Connections,
  provider: Provider,
  callback: CallbackRequest,
): Promise<ProviderSignIn> {
  const { params } = callback;
  const code = (params.get('code') ?? '').slice(0, 4);
  const { config, answer } = await redeemCode(connections, provider, callback).catch((cause: unknown) => {
    throw providerFailed(`Unable to exchange external code: ${code}`, cause);
  });
  const read = createReader(config, answer.access_token);
  const { endpoints } = provider;
  const profile = await (
    endpoints.kind === 'oauth' ? endpoints.profile(read) : fetchOpenidProfile(provider, config, answer)
  ).catch((cause: unknown) => {
    throw providerFailed('Error getting user profile from external provider', cause);
  });
  const named = provider.name === 'apple' ? withAppleName(profile, params.get('user')) : profile;
  return { profile: named, tokens: { accessToken: answer.access_token, refreshToken: answer.refresh_token } };
}

async function redeemCode(connections: Connections, provider: Provider, callback: CallbackRequest) {
  const config = await connections.discover(provider);
  const url = new URL(provider.redirectUri);
  url.search = callback.params.toString();
  const isOpenid = provider.endpoints.kind === 'openid';
  const answer = await openid.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: callback.verifier,
    expectedState: callback.state,
    ...(isOpenid ? { expectedNonce: deriveNonce(callback.verifier), idTokenExpected: true } : {}),
  });
  return { config, answer };
}

/** Derives the nonce from the secret verifier, so that it needs no storage. */
function deriveNonce(verifier: string): string {
  return createHash('sha256').update(`nonce of ${verifier}`).digest('base64url');
}

function createReader(config: openid.Configuration, accessToken: string): ReadJson {
  return async (url) => {
    const headers = new Headers({ accept: 'application/json' });
    const response = await openid.fetchProtectedResource(config, accessToken, new URL(url), 'GET', undefined, headers);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response.json();
  };
}

function providerFailed(message: string, cause: unknown): AuthError {
  const error = new AuthError(500, 'unexpected_failure', message);
  error.cause = cause;
  return error;
}
