import { publicCall } from '../call.ts';
import { enabledProviders } from '../external/providers.ts';

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

/** GET /settings: what a login screen may offer. */
export const settings = publicCall({ method: 'GET', url: '/settings' }, async ({ context: { auth } }) => ({
  external: {
    anonymous_users: auth.enable_anonymous_sign_ins,
    ...Object.fromEntries(PROVIDERS.map((name) => [name, false])),
    ...Object.fromEntries(enabledProviders(auth).map((name) => [name, true])),
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
