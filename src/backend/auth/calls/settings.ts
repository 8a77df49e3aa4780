import { publicCall } from '../call.ts';

const PROVIDERS = [
  'apple', 'azure', 'bitbucket', 'discord', 'facebook', 'figma', 'fly', 'github', 'gitlab', 'google', 'kakao', 'keycloak',
  'linkedin', 'linkedin_oidc', 'notion', 'slack', 'slack_oidc', 'snapchat', 'spotify', 'twitch', 'twitter', 'workos',
  'x', 'zoom',
]; // prettier-ignore

/** GET /settings: what a login screen may offer. */
export const settings = publicCall({ method: 'GET', url: '/settings' }, async ({ context: { auth } }) => ({
  external: {
    anonymous_users: auth.enable_anonymous_sign_ins,
    ...Object.fromEntries(PROVIDERS.map((name) => [name, false])),
    email: auth.email.enable_signup,
    phone: false,
  },
  disable_signup: !auth.enable_signup,
  mailer_autoconfirm: !auth.email.enable_confirmations,
  phone_autoconfirm: false,
  sms_provider: '',
  saml_enabled: false,
  saml_private_key_next_configured: false,
  passkeys_enabled: false,
}));
