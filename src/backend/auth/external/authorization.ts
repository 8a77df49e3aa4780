import { createHash } from 'node:crypto';
import * as openid from 'openid-client';
import { AuthError } from '../errors.ts';
import type { ProviderTokens } from '../flows/auth-code.ts';
import type { Connections } from './connections.ts';
import { openidProfile, withAppleName } from './openid-profile.ts';
import type { Profile, ReadJson } from './profile.ts';
import { scopesOf, type Provider } from './providers.ts';

type Departure = Readonly<{
  state: string;
  /** Ours towards the provider (RFC 7636); the client's own challenge never leaves this service. */
  verifier: string;
  scopes: string;
  /** Whatever else the client wants the provider to be asked. */
  more: Readonly<Record<string, string>>;
}>;

/** Where the browser goes to sign in. Rejects where discovery fails. */
export async function departureUrl(connections: Connections, provider: Provider, to: Departure): Promise<string> {
  const config = await connections.to(provider);
  const isOpenid = provider.place.kind === 'openid';
  const url = openid.buildAuthorizationUrl(config, {
    ...to.more,
    ...(isOpenid ? { nonce: nonceOf(to.verifier) } : {}),
    redirect_uri: provider.redirectUri,
    scope: scopesOf(to.scopes, provider.scopes).join(' '),
    state: to.state,
    code_challenge: await openid.calculatePKCECodeChallenge(to.verifier),
    code_challenge_method: 'S256',
    // Apple sends name and address only in this way.
    ...(provider.name === 'apple' ? { response_mode: 'form_post' } : {}),
  });
  return url.href;
}

type Return = Readonly<{ params: URLSearchParams; state: string; verifier: string }>;

export type Arrival = Readonly<{ profile: Profile; tokens: ProviderTokens }>;

/** Who came back. Throws AuthError that the browser is sent on with. */
export async function arrivalOf(connections: Connections, provider: Provider, back: Return): Promise<Arrival> {
  const { params } = back;
  const code = (params.get('code') ?? '').slice(0, 4);
  const { config, answer } = await exchange(connections, provider, back).catch((cause: unknown) => {
    throw failure(`Unable to exchange external code: ${code}`, cause);
  });
  const read = readerOf(config, answer.access_token);
  const { place } = provider;
  const profile = await (place.kind === 'oauth' ? place.profile(read) : openidProfile(provider, config, answer)).catch(
    (cause: unknown) => {
      throw failure('Error getting user profile from external provider', cause);
    },
  );
  const named = provider.name === 'apple' ? withAppleName(profile, params.get('user')) : profile;
  return { profile: named, tokens: { accessToken: answer.access_token, refreshToken: answer.refresh_token } };
}

type Exchanged = Readonly<{ config: openid.Configuration; answer: openid.TokenEndpointResponse & Claimed }>;
type Claimed = openid.TokenEndpointResponseHelpers;

async function exchange(connections: Connections, provider: Provider, back: Return): Promise<Exchanged> {
  const config = await connections.to(provider);
  const url = new URL(provider.redirectUri);
  url.search = back.params.toString();
  const isOpenid = provider.place.kind === 'openid';
  const answer = await openid.authorizationCodeGrant(config, url, {
    pkceCodeVerifier: back.verifier,
    expectedState: back.state,
    ...(isOpenid ? { expectedNonce: nonceOf(back.verifier), idTokenExpected: true } : {}),
  });
  return { config, answer };
}

/** Follows from the verifier, which nobody outside knows, so that it need not be kept. */
function nonceOf(verifier: string): string {
  return createHash('sha256').update(`nonce of ${verifier}`).digest('base64url');
}

function readerOf(config: openid.Configuration, accessToken: string): ReadJson {
  return async (url) => {
    const headers = new Headers({ accept: 'application/json' });
    const response = await openid.fetchProtectedResource(config, accessToken, new URL(url), 'GET', undefined, headers);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    return response.json();
  };
}

function failure(message: string, cause: unknown): AuthError {
  const fault = new AuthError(500, 'unexpected_failure', message);
  fault.cause = cause;
  return fault;
}
