import { createHash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { readText } from '#http/limited-answer.ts';
import type { HibpConfig } from '../config-auth.ts';
import { AuthError } from './errors.ts';

/** Whether a password is known to be leaked. Throws AuthError 500 where the service fails and `fail_closed` is set. */
export type LeakCheck = (password: string) => Promise<boolean>;

const TIMEOUT_MS = 5_000;
const PREFIX = 5;
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Uses Have I Been Pwned's range protocol: only the first five digits of the SHA-1 leave this server and the answer is
 * padded, so that neither the service nor an eavesdropper learns the password.
 */
export function createLeakCheck(config: HibpConfig, log: FastifyBaseLogger, timeoutMs = TIMEOUT_MS): LeakCheck {
  if (!config.enabled) return async () => false;
  return async (password) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    try {
      const range = await fetchRange(config, digest.slice(0, PREFIX), timeoutMs);
      return isListed(range, digest.slice(PREFIX));
    } catch (cause) {
      log.warn({ cause: cause instanceof Error ? cause.name : 'unknown' }, 'check for leaked passwords failed');
      if (!config.fail_closed) return false;
      const why = 'Unable to perform password strength check with HaveIBeenPwned.org.';
      throw new AuthError(500, 'unexpected_failure', why);
    }
  };
}

async function fetchRange(config: HibpConfig, prefix: string, timeoutMs: number): Promise<string> {
  const response = await fetch(`${config.url.replace(/\/+$/, '')}/range/${prefix}`, {
    headers: { 'user-agent': config.user_agent, 'add-padding': 'true' },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (response.status === 200) return readText(response.body, MAX_ANSWER_BYTES);
  await response.body?.cancel();
  throw new Error(`status ${response.status}`);
}

/** Each line holds the rest of a digest and its count; padding has the count 0. */
function isListed(range: string, rest: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [suffix = '', count = '0'] = line.trim().split(':');
    return suffix.toUpperCase() === rest && Number(count) > 0;
  });
}
