import type { ProjectConfig } from '../../config.ts';
import { createRateLimiter, type RateLimiter } from '#lib/rate-limiter.ts';

type Rules = Pick<ProjectConfig['auth'], 'rate_limit' | 'mfa' | 'saml'>;

const MINUTE = 60_000;
const FIVE_MINUTES = 300_000;
const HOUR = 3_600_000;
const BURST = 30;

/**
 * The rate limits of the routes (supabase-contract §1.6), with upstream's numbers and defaults; a limit far above them
 * raises the burst with it.
 */
export function createRequestLimits({ rate_limit: config, mfa, saml }: Rules, now: () => number) {
  const per = (tokens: number, perMs: number): RateLimiter =>
    createRateLimiter({ tokens, perMs, burst: Math.max(BURST, tokens / 5) }, now);
  return {
    token: per(config.token_refresh, FIVE_MINUTES),
    verify: per(config.token_verifications, FIVE_MINUTES),
    signup: per(config.sign_in_sign_ups, FIVE_MINUTES),
    otp: per(config.sign_in_sign_ups, FIVE_MINUTES),
    recover: per(config.sign_in_sign_ups, FIVE_MINUTES),
    user: per(config.sign_in_sign_ups, FIVE_MINUTES),
    resend: per(config.sign_in_sign_ups, FIVE_MINUTES),
    authorize: per(config.sign_in_sign_ups, FIVE_MINUTES),
    sso: per(config.sign_in_sign_ups, FIVE_MINUTES),
    saml: per(saml.rate_limit_assertion, FIVE_MINUTES),
    anonymous: per(config.anonymous_users, HOUR),
    factorChallenge: per(mfa.rate_limit_challenge_and_verify, MINUTE),
    factorVerify: per(mfa.rate_limit_challenge_and_verify, MINUTE),
  };
}

export type RequestLimits = ReturnType<typeof createRequestLimits>;
