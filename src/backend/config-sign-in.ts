import { z } from 'zod';
import { Duration } from './config-values.ts';

/** Ways to sign in beside e-mail and password: `[auth.external.*]`, `[auth.sms]`, `[auth.saml]`. */

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

/** `[auth.password.hibp]`, upstream's `GOTRUE_PASSWORD_HIBP_*`: whether passwords that others have lost are refused. */
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
  /** Not upstream's: refuses what stands in a list of common passwords that comes with this server. */
  refuse_common: z.boolean().default(false),
});

export const Saml = z.object({
  enabled: z.boolean().default(false),
  /** Base64 of an RSA key in PKCS #1 form, as upstream takes it; unset: made at the first start and kept. */
  private_key: optional,
  /** While one key replaces another: published beside it, and tried where the other one does not decrypt. */
  private_key_next: optional,
  allow_encrypted_assertions: z.boolean().default(false),
  /** Where identity providers reach this service, `/auth/v1` included, if not where everybody does. */
  external_url: z
    .url({ protocol: /^https?$/ })
    .or(z.literal(''))
    .optional()
    .transform((url) => url || undefined),
  relay_state_validity_period: Duration.default('2m'),
  rate_limit_assertion: z.number().int().positive().default(15),
});
