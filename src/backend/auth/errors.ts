import { randomUUID } from 'node:crypto';
import { HttpError } from '#http/errors.ts';

/** An error that is answered to the caller, in upstream's words (supabase-contract §1.1, §1.4). */
export class AuthError extends HttpError {
  /** Further members of the body. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Leads from the answer to the log. */
  readonly id = this.status < 500 ? undefined : randomUUID();
  constructor(status: number, code: string, message: string, extra: Readonly<Record<string, unknown>> = {}) {
    super(status, code, message);
    this.extra = extra;
  }
}

/** Returns a function that creates the error, so that its stack leads to the place that throws it. */
export function defineError(status: number, code: string, message: string): () => AuthError {
  return () => new AuthError(status, code, message);
}

/** The catalogue of errors with a fixed text; the functions below make those with a varying one. */
export const ERRORS = {
  noAuthorization: defineError(401, 'no_authorization', 'This endpoint requires a valid Bearer token'),
  missingSub: defineError(403, 'bad_jwt', 'invalid claim: missing sub claim'),
  badSub: defineError(400, 'bad_jwt', 'invalid claim: sub claim must be a UUID'),
  subjectNotFound: defineError(403, 'user_not_found', 'User from sub claim in JWT does not exist'),
  sessionNotFound: defineError(403, 'session_not_found', 'Session from session_id claim in JWT does not exist'),
  bannedCaller: defineError(403, 'user_banned', 'User is banned'),
  bannedLogin: defineError(400, 'user_banned', 'User is banned'),
  notAdmin: defineError(403, 'not_admin', 'User not allowed'),
  invalidCredentials: defineError(400, 'invalid_credentials', 'Invalid login credentials'),
  unsupportedGrant: defineError(400, 'invalid_credentials', 'unsupported_grant_type'),
  emailNotConfirmed: defineError(400, 'email_not_confirmed', 'Email not confirmed'),
  emailLoginsDisabled: defineError(422, 'email_provider_disabled', 'Email logins are disabled'),
  emailSignupsDisabled: defineError(400, 'email_provider_disabled', 'Email signups are disabled'),
  phoneLoginsDisabled: defineError(422, 'phone_provider_disabled', 'Phone logins are disabled'),
  emailMailsDisabled: defineError(400, 'email_provider_disabled', 'Email logins are disabled'),
  phoneResendDisabled: defineError(400, 'phone_provider_disabled', 'Phone logins are disabled'),
  phoneNotConfirmed: defineError(400, 'phone_not_confirmed', 'Phone not confirmed'),
  verifyEmailFirst: defineError(422, 'email_not_confirmed', 'Please verify your email first.'),
  verifyPhoneFirst: defineError(422, 'phone_not_confirmed', 'Please verify your phone first.'),
  phoneSignupsDisabled: defineError(400, 'phone_provider_disabled', 'Phone signups are disabled'),
  signupDisabled: defineError(422, 'signup_disabled', 'Signups not allowed for this instance'),
  anonymousDisabled: defineError(422, 'anonymous_provider_disabled', 'Anonymous sign-ins are disabled'),
  userExists: defineError(422, 'user_already_exists', 'User already registered'),
  emailExists: defineError(422, 'email_exists', 'A user with this email address has already been registered'),
  phoneExists: defineError(422, 'phone_exists', 'A user with this phone number has already been registered'),
  phoneRegistered: defineError(422, 'phone_exists', 'Phone number already registered by another user'),
  userNotFound: defineError(404, 'user_not_found', 'User not found'),
  samePassword: defineError(422, 'same_password', 'New password should be different from the old password.'),
  anonymousPassword: defineError(
    422,
    'validation_failed',
    'Updating password of an anonymous user without an email or phone is not allowed',
  ),
  ssoManaged: defineError(
    422,
    'user_sso_managed',
    'Updating email, phone, password of a SSO account only possible via SSO',
  ),
  currentPasswordNeeded: defineError(
    400,
    'current_password_required',
    'Current password required when setting new password.',
  ),
  currentPasswordWrong: defineError(
    400,
    'current_password_invalid',
    'Current password required when setting new password.',
  ),
  reauthenticationNeeded: defineError(400, 'reauthentication_needed', 'Password update requires reauthentication'),
  reauthenticationInvalid: defineError(422, 'reauthentication_not_valid', 'Nonce has expired or is invalid'),
  refreshNotFound: defineError(400, 'refresh_token_not_found', 'Invalid Refresh Token: Refresh Token Not Found'),
  refreshUsed: defineError(400, 'refresh_token_already_used', 'Invalid Refresh Token: Already Used'),
  sessionExpired: defineError(400, 'session_expired', 'Invalid Refresh Token: Session Expired'),
  sessionInactive: defineError(400, 'session_expired', 'Invalid Refresh Token: Session Expired (Inactivity)'),
  conflict: defineError(
    409,
    'conflict',
    'Too many concurrent token refresh requests on the same session or refresh token',
  ),
  rateLimit: defineError(429, 'over_request_rate_limit', 'Request rate limit reached'),
  loginsBusy: defineError(503, 'over_request_rate_limit', 'Too many logins at once, please retry after a moment'),
  mailLimit: defineError(429, 'over_email_send_rate_limit', 'Email rate limit exceeded'),
  magicLinkNeedsEmail: defineError(422, 'validation_failed', 'Password recovery requires an email'),
  otpDisabled: defineError(422, 'otp_disabled', 'Signups not allowed for otp'),
  codeExpired: defineError(403, 'otp_expired', 'Token has expired or is invalid'),
  linkExpired: defineError(403, 'otp_expired', 'Email link is invalid or has expired'),
  flowNotFound: defineError(404, 'flow_state_not_found', 'invalid flow state, no valid flow state found'),
  flowExpired: defineError(422, 'flow_state_expired', 'invalid flow state, flow state has expired'),
  flowUsed: defineError(400, 'flow_state_already_used', 'State has already been used'),
  badVerifier: defineError(400, 'bad_code_verifier', 'code challenge does not match previously saved code verifier'),
  providerSilent: defineError(
    500,
    'unexpected_failure',
    'Unexpected failure, please check server logs for more information',
  ),
  captchaUnavailable: defineError(500, 'unexpected_failure', 'captcha verification process failed'),
  sessionLacksAal2: defineError(
    400,
    'session_expired',
    'Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)',
  ),
  sessionReplaced: defineError(
    400,
    'session_expired',
    'Invalid Refresh Token: Session Expired (Revoked by Newer Login)',
  ),
  smsLimit: defineError(429, 'over_sms_send_rate_limit', 'SMS rate limit exceeded'),
  smsFailed: defineError(422, 'sms_send_failed', 'Error sending SMS to provider'),
  smsNotConfigured: defineError(400, 'phone_provider_disabled', 'Unsupported phone provider'),
  hookTimeout: defineError(422, 'hook_timeout', 'Failed to reach hook within maximum time of 5 seconds'),
  manualLinkingDisabled: defineError(404, 'manual_linking_disabled', 'Manual linking is disabled'),
  notFound: defineError(404, 'not_found', 'Not Found'),
  tooLarge: defineError(413, 'request_entity_too_large', 'Request body too large (max 1048576 bytes)'),
  notJson: defineError(415, 'validation_failed', 'Content-Type must be application/json'),
  unexpected: defineError(500, 'unexpected_failure', 'Internal Server Error'),
  databaseDown: defineError(503, 'unexpected_failure', 'Database is not reachable, please retry after a moment'),
} as const;

export function invalid(message: string): AuthError {
  return new AuthError(400, 'validation_failed', message);
}

/** An error in OAuth's own form (supabase-contract §1.1): always 400, `{error, error_description}` and nothing else. */
export function oauthError(error: string, description: string): AuthError {
  return new AuthError(400, '', description, { error, error_description: description });
}

export function badJson(detail: string): AuthError {
  return new AuthError(400, 'bad_json', `Could not parse request body as JSON: ${detail}`);
}

export function badJwt(detail: string): AuthError {
  return new AuthError(403, 'bad_jwt', `invalid JWT: unable to parse or verify signature, ${detail}`);
}

export function tooSoon(by: 'email' | 'sms', waitMs: number): AuthError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  const message = `For security purposes, you can only request this after ${seconds} seconds.`;
  return new AuthError(429, `over_${by}_send_rate_limit`, message);
}

export function captchaFailed(reason: string): AuthError {
  return new AuthError(400, 'captcha_failed', `captcha protection: request disallowed (${reason})`);
}

export type WeakPasswordReason = 'length' | 'characters' | 'pwned';

export function weakPassword(message: string, reasons: readonly WeakPasswordReason[]): AuthError {
  return new AuthError(422, 'weak_password', message, { weak_password: { reasons } });
}
