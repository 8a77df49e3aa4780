import { z } from 'zod';
import { Duration } from './config-values.ts';

/** Ways to sign in beside e-mail and password: `[auth.external.*]`, `[auth.sms]`, `[auth.saml]`. */

/** An empty text counts as unset, as in upstream's own template of the file. */
const optional = z.string().optional().transform((text) => (text === '' ? undefined : text)); // prettier-ignore

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

export const Saml = z.object({
  enabled: z.boolean().default(false),
  /** Base64 of an RSA key in PKCS #1 form, as upstream takes it; unset: made at the first start and kept. */
  private_key: optional,
  relay_state_validity_period: Duration.default('2m'),
  rate_limit_assertion: z.number().int().positive().default(15),
});
