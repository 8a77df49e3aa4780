import { z } from 'zod';
import { readJson } from '#http/limited-answer.ts';
import type { CaptchaConfig } from '../config-auth.ts';

/** The service's verdict on a token, with its own reasons for a refusal. Rejects where the service does not answer. */
export type CaptchaVerifier = (token: string, address: string | undefined) => Promise<Verdict>;

type Verdict = Readonly<{ passed: true }> | Readonly<{ passed: false; reasons: readonly string[] }>;

const SERVICES: Readonly<Record<CaptchaConfig['provider'], string>> = {
  hcaptcha: 'https://hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
};

const Answer = z.object({
  success: z.boolean(),
  'error-codes': z
    .array(
      z
        .string()
        .regex(/^[\w-]{1,64}$/)
        .catch('unknown'),
    )
    .max(20)
    .catch([]),
});

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1_048_576;

/** hCaptcha and Turnstile share one protocol. */
export function createCaptchaVerifier(config: CaptchaConfig, timeoutMs = TIMEOUT_MS): CaptchaVerifier {
  const url = config.url ?? SERVICES[config.provider];
  return async (token, address) => {
    const form = new URLSearchParams({ secret: config.secret.trim(), response: token, remoteip: address ?? '' });
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', body: form, redirect: 'error', signal });
    const answer = Answer.parse(await readJson(response.body, MAX_ANSWER_BYTES));
    return answer.success ? { passed: true } : { passed: false, reasons: answer['error-codes'] };
  };
}
