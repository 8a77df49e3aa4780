import { createHash } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { readText } from '#http/limited-answer.ts';
import type { HibpConfig } from '../config-auth.ts';
import { AuthError } from './errors.ts';

/**
 * Whether a password is in a collection of leaked ones. Throws AuthError 500 where nobody says and that must not pass.
 */
export type LeakCheck = (password: string) => Promise<boolean>;

const TIMEOUT_MS = 5_000;
const PREFIX = 5;
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Have I Been Pwned's range protocol: only the first five digits of the SHA-1 leave this server, and the answer is
 * padded, so that neither the service nor the wire tells which password it was.
 */
export function createLeakCheck(config: HibpConfig, log: FastifyBaseLogger, timeoutMs = TIMEOUT_MS): LeakCheck {
  if (!config.enabled) return async () => false;
  return async (password) => {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    try {
      const range = await fetchRange(config, digest.slice(0, PREFIX), timeoutMs);
      return isListed(range, digest.slice(PREFIX));
    } catch (cause) {
      log.warn({ cause: cause instanceof Error ? cause.name : 'unknown' }, 'leaked passwords not asked for');
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

/** One line a password: the rest of its digest and how often it was seen; padding was never seen. */
function isListed(range: string, rest: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [suffix = '', count = '0'] = line.trim().split(':');
    return suffix.toUpperCase() === rest && Number(count) > 0;
  });
}
