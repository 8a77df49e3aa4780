/** The sections of `config.toml` below `[auth]`, with upstream's keys and defaults. */
import { z } from 'zod';

/** `24h`, `1h30m`, `250ms`. */
export const Duration = z.string().regex(/^\d+(\.\d+)?(ms|s|m|h)([\d.]+(ms|s|m))*$/);

const Switches = z.object({ enroll_enabled: z.boolean().default(false), verify_enabled: z.boolean().default(false) });

export const Mfa = z.object({
  max_enrolled_factors: z.number().int().min(0).default(10),
  /**
   * Seconds. This key and the next two are the auth server's own; upstream's command line leaves them at these values.
   */
  challenge_expiry_duration: z.number().positive().default(300),
  factor_expiry_duration: Duration.default('300s'),
  /** Not upstream's: a factor is set up only this long after the login, or in a session that showed another factor. */
  enroll_login_max_age: Duration.optional(),
  /** A minute and address. */
  rate_limit_challenge_and_verify: z.number().positive().default(15),
  totp: z.object({ enroll_enabled: z.boolean().default(true), verify_enabled: z.boolean().default(true) }).prefault({}),
  phone: Switches.extend({
    otp_length: z.number().int().min(6).max(10).default(6),
    max_frequency: Duration.default('5s'),
  }).prefault({}),
  web_authn: Switches.prefault({}),
});

/** Relying party of passkeys. Unset: the host of `site_url`, which has to be a name, since browsers take no address. */
export const WebAuthn = z.object({
  rp_id: z.string().min(1).optional(),
  rp_display_name: z.string().min(1).optional(),
  rp_origins: z.array(z.url()).max(5).optional(),
});

export const Captcha = z
  .object({
    enabled: z.boolean().default(false),
    provider: z.enum(['hcaptcha', 'turnstile']).default('hcaptcha'),
    secret: z.string().default(''),
    /** The public half; upstream leaves it to the application. */
    site_key: z.string().default(''),
    /** These two are not upstream's: another service with the same protocol, and the source of its widget. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    script_url: z
      .url({ protocol: /^https?$/ })
      .refine(isSafeScript, 'has to be https')
      .optional(),
  })
  .refine(({ enabled, secret }) => !enabled || secret.trim() !== '', { path: ['secret'], error: 'is needed' });
export type CaptchaConfig = z.infer<typeof Captcha>;

/** A script over plain http could be changed on its way. */
function isSafeScript(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === 'localhost';
}

/** `[auth.security]`, upstream's `GOTRUE_SECURITY_*`. */
export const Security = z.object({ update_password_require_current_password: z.boolean().default(false) });

export const Sessions = z.object({
  timebox: Duration.optional(),
  inactivity_timeout: Duration.optional(),
  /** These two are the auth server's own: how long a session may wait for its second factor, and one session a user. */
  allow_low_aal: Duration.optional(),
  single_per_user: z.boolean().default(false),
});

const SECRET = /^v1,whsec_[A-Za-z0-9+/]+={0,2}$/;

const HttpHook = z
  .object({
    enabled: z.boolean().default(false),
    uri: z.string().default(''),
    /** `v1,whsec_<base64>`; several, separated by `|`, while one replaces another. */
    secrets: z.string().default(''),
  })
  .refine((hook) => !hook.enabled || /^https?:\/\//.test(hook.uri), { path: ['uri'], error: 'has to be http(s)' })
  .refine((hook) => !hook.enabled || hook.secrets.split('|').every((secret) => SECRET.test(secret)), {
    path: ['secrets'],
    error: 'has to be v1,whsec_<base64>',
  });

export const Hooks = z.object({ send_sms: HttpHook.prefault({}) });
export type HttpHook = z.infer<typeof HttpHook>;

/** An empty text counts as unset, as in upstream's own template of the file. */
const optional = z
  .string()
  .optional()
  .transform((text) => (text === '' ? undefined : text));

/** `[auth.external.<name>]`. The last four keys are for providers without OpenID discovery. */
export const ExternalProvider = z.object({
  enabled: z.boolean().default(false),
  /** Several, divided by commas: the first is ours, the others are accepted as audience of an ID token. */
  client_id: z.string().default(''),
  secret: optional,
  redirect_uri: optional,
  url: optional,
  skip_nonce_check: z.boolean().default(false),
  email_optional: z.boolean().default(false),
  scopes: optional,
  authorization_url: optional,
  token_url: optional,
  userinfo_url: optional,
});
export type ExternalProvider = z.infer<typeof ExternalProvider>;

export const Sms = z.object({
  enable_signup: z.boolean().default(false),
  enable_confirmations: z.boolean().default(false),
  max_frequency: Duration.default('5s'),
  otp_length: z.number().int().min(6).max(10).default(6),
  otp_expiry: z.number().int().positive().default(60),
  /** Phone number without plus → its code; no message is sent. */
  test_otp: z.record(z.string(), z.string()).default({}),
});

/** `[auth.password.hibp]`, upstream's `GOTRUE_PASSWORD_HIBP_*`: whether leaked passwords are refused. */
const Hibp = z.object({
  enabled: z.boolean().default(false),
  fail_closed: z.boolean().default(false),
  user_agent: z.string().min(1).default('social-media-content-assistant'),
  /** Not upstream's: another service that speaks the same language. */
  url: z.url({ protocol: /^https?$/ }).default('https://api.pwnedpasswords.com'),
});
export type HibpConfig = z.infer<typeof Hibp>;

export const Password = z.object({
  hibp: Hibp.prefault({}),
  /** Not upstream's: refuses the common passwords on this server's list. */
  refuse_common: z.boolean().default(false),
  /** Not upstream's: words that must not make up a password. */
  context_words: z.array(z.string().min(3).toLowerCase()).default([]),
});

export const Saml = z.object({
  enabled: z.boolean().default(false),
  /** Base64 of an RSA key in PKCS #1 form, as upstream takes it; unset: made at the first start and kept. */
  private_key: optional,
  /** During a key change: published as well, and tried where the first key does not decrypt. */
  private_key_next: optional,
  allow_encrypted_assertions: z.boolean().default(false),
  /** The address of this service for identity providers, `/auth/v1` included, where it differs. */
  external_url: z
    .url({ protocol: /^https?$/ })
    .or(z.literal(''))
    .optional()
    .transform((url) => url || undefined),
  relay_state_validity_period: Duration.default('2m'),
  rate_limit_assertion: z.number().int().positive().default(15),
});
