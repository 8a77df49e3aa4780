import { describe, expect, test } from 'vitest';
import { ExternalProvider } from '../../config-auth.ts';
import { AuthConfig } from '../../config.ts';
import { listEnabledProviders, getIssuer, getProvider, findUnusableProviders } from './providers.ts';

const auth = (external: Record<string, object>) => AuthConfig.parse({ external });
const known = { enabled: true, client_id: 'a, b', secret: 's' };
const find = (name: string, more: object = {}) =>
  getProvider(auth({ [name]: { ...known, ...more } }), 'https://x.test/auth/v1', name);

describe('contract §1.4 providers by name', () => {
  test.each([
    ['google', {}, 'https://accounts.google.com'],
    ['azure', {}, 'https://login.microsoftonline.com/common/v2.0'],
    ['azure', { url: 'https://login.microsoftonline.com/tenant/' }, 'https://login.microsoftonline.com/tenant/v2.0'],
    ['gitlab', { url: 'https://git.firma.test/' }, 'https://git.firma.test'],
    ['keycloak', { url: 'https://sso.firma.test/realms/x' }, 'https://sso.firma.test/realms/x'],
    ['apple', {}, 'https://appleid.apple.com'],
    ['eigener', { url: 'https://id.firma.test' }, 'https://id.firma.test'],
  ])('%s %j is OpenID at %s', (name, more, issuer) => {
    expect(find(name, more).endpoints).toEqual({ kind: 'openid', issuer });
  });

  test.each([
    ['github', {}, 'https://github.com/login/oauth/authorize', 'https://github.com/login/oauth/access_token'],
    [
      'github',
      { url: 'https://git.firma.test' },
      'https://git.firma.test/login/oauth/authorize',
      'https://git.firma.test/login/oauth/access_token',
    ],
    ['discord', {}, 'https://discord.com/api/oauth2/authorize', 'https://discord.com/api/oauth2/token'],
    [
      'eigener',
      { authorization_url: 'https://a.test/1', token_url: 'https://a.test/2', userinfo_url: 'https://a.test/3' },
      'https://a.test/1',
      'https://a.test/2',
    ],
  ])('%s %j is OAuth', (name, more, authorize, token) => {
    expect(find(name, more).endpoints).toMatchObject({ kind: 'oauth', authorize, token });
  });

  test('clients, scopes, callback', () => {
    expect(find('google', { scopes: 'drive, email' })).toMatchObject({
      clientId: 'a',
      clientIds: ['a', 'b'],
      redirectUri: 'https://x.test/auth/v1/callback',
      scopes: ['openid', 'email', 'profile', 'drive'],
    });
    expect(find('google', { redirect_uri: 'https://y.test/cb' }).redirectUri).toBe('https://y.test/cb');
  });

  test('Finds issuers of disabled providers, too, and lists enabled ones', () => {
    const config = auth({ google: { ...known, enabled: false }, github: known });
    expect([getIssuer(config, 'google'), getIssuer(config, 'github'), getIssuer(config, 'fremd')]).toEqual([
      'https://accounts.google.com',
      undefined,
      undefined,
    ]);
    expect(listEnabledProviders(config)).toEqual(['github']);
  });

  test('Reads upstream’s template with its empty texts', () => {
    const empty = { enabled: false, client_id: '', secret: '', redirect_uri: '', url: '' };
    expect(ExternalProvider.parse(empty)).toMatchObject({ secret: undefined, url: undefined, redirect_uri: undefined });
  });
});

test('Names enabled providers with an incomplete configuration', () => {
  const external = { google: { ...known, client_id: '' }, notion: known, apple: known, zoom: { client_id: 'a' } };
  expect(findUnusableProviders({ auth: auth(external), externalUrl: 'https://x.test/auth/v1' })).toEqual([
    { provider: 'google', cause: 'missing OAuth client ID' },
    { provider: 'notion', cause: 'unable to find URL for the notion provider' },
  ]);
});
