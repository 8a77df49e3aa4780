import { z } from 'zod';
import { Duration } from './config-values.ts';

/** Second factors, captcha and text messages in `config.toml`: upstream's keys and defaults. */
const Switches = z.object({ enroll_enabled: z.boolean().default(false), verify_enabled: z.boolean().default(false) });

export const Mfa = z.object({
  max_enrolled_factors: z.number().int().min(0).default(10),
  /** Seconds. This key and the next two are the auth server's own; upstream's command line leaves them at these values. */
  challenge_expiry_duration: z.number().positive().default(300),
  factor_expiry_duration: Duration.default('300s'),
  /** Not upstream's: a factor is set up only so long after the login, or in a session that has shown another factor. */
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
    /** These two are not upstream's: another service that speaks the same language, and where its widget comes from. */
    url: z.url({ protocol: /^https?$/ }).optional(),
    script_url: z
      .url({ protocol: /^https?$/ })
      .refine(isSafeScript, 'has to be https')
      .optional(),
  })
  .refine(({ enabled, secret }) => !enabled || secret.trim() !== '', { path: ['secret'], error: 'is needed' });
export type CaptchaConfig = z.infer<typeof Captcha>;

/** Nobody between could change it on its way. */
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
