import { REFRESH_UNKNOWN_AFTER_MS } from '../../keys.ts';
import { listEnabledProviders } from '../external/providers.ts';
import { publicRoute } from '../route.ts';

const PROVIDERS = [
  'apple',
  'azure',
  'bitbucket',
  'discord',
  'facebook',
  'figma',
  'fly',
  'github',
  'gitlab',
  'google',
  'kakao',
  'keycloak',
  'linkedin',
  'linkedin_oidc',
  'notion',
  'slack',
  'slack_oidc',
  'snapchat',
  'spotify',
  'twitch',
  'twitter',
  'workos',
  'x',
  'zoom',
];

/** GET /settings: the login methods that a client may offer. */
export const settings = publicRoute({ method: 'GET', url: '/settings' }, async ({ context: { auth } }) => ({
  external: {
    anonymous_users: auth.enable_anonymous_sign_ins,
    ...Object.fromEntries(PROVIDERS.map((name) => [name, false])),
    ...Object.fromEntries(listEnabledProviders(auth).map((name) => [name, true])),
    email: auth.email.enable_signup,
    phone: auth.sms.enable_signup,
  },
  disable_signup: !auth.enable_signup,
  mailer_autoconfirm: !auth.email.enable_confirmations,
  phone_autoconfirm: !auth.sms.enable_confirmations,
  sms_provider: auth.hook.send_sms.enabled ? 'http' : '',
  saml_enabled: auth.saml.enabled,
  saml_private_key_next_configured: false,
  passkeys_enabled: false,
}));

// The version of the implemented contract (supabase-contract §1).
const VERSION = 'v2.196.0';

/** GET /health: whether this service answers; the server's own /health covers the database. */
export const health = publicRoute({ method: 'GET', url: '/health' }, async () => ({
  version: VERSION,
  name: 'GoTrue',
  description: 'GoTrue is a user registration and authentication API',
}));

/** GET /.well-known/jwks.json: the public keys, so that clients and other servers check tokens themselves. */
export const jwks = publicRoute({ method: 'GET', url: '/.well-known/jwks.json' }, async ({ context, reply }) => {
  await context.keys.refreshIfOlder(REFRESH_UNKNOWN_AFTER_MS);
  return reply.header('cache-control', 'public, max-age=600').send({ keys: context.keys.published() });
});

/** Upstream's list, whatever of it a project uses. */
// prettier-ignore
const CLAIMS = [
  'sub', 'aud', 'iss', 'exp', 'iat', 'auth_time', 'nonce', 'email', 'email_verified', 'phone_number',
  'phone_number_verified', 'name', 'picture', 'preferred_username', 'updated_at',
];

/**
 * GET /.well-known/openid-configuration: leads those who check access tokens to issuer and keys. As upstream, it names
 * the addresses of the OAuth server also where that is off, as it always is here.
 */
export const openidConfiguration = publicRoute(
  { method: 'GET', url: '/.well-known/openid-configuration' },
  async ({ context: { keys }, reply }) => {
    const base = keys.issuer.replace(/\/+$/, '');
    return reply.header('cache-control', 'public, max-age=600').send({
      issuer: keys.issuer,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      jwks_uri: `${base}/.well-known/jwks.json`,
      userinfo_endpoint: `${base}/oauth/userinfo`,
      scopes_supported: ['openid', 'profile', 'email', 'phone', 'offline_access'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'HS256', 'ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      claims_supported: CLAIMS,
      code_challenge_methods_supported: ['S256', 'plain'],
    });
  },
);
