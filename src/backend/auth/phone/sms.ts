import { createHmac, randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { readText } from '#http/limited-answer.ts';
import { parseJson } from '#lib/parse-json.ts';
import type { HttpHook } from '../../config-auth.ts';
import { ERRORS, type AuthError } from '../errors.ts';
import type { RateLimiter } from '#lib/rate-limiter.ts';

type HttpSmsOptions = Readonly<{
  hook: HttpHook;
  /** Limits all text messages, since each costs money. */
  limit: RateLimiter;
  log: FastifyBaseLogger;
  /** Milliseconds since 1970. */
  now: () => number;
  timeoutMs?: number;
}>;

const TIMEOUT_MS = 5_000;
const MAX_ANSWER_BYTES = 1_048_576;
const Refusal = z.object({ error: z.looseObject({}) });

/** Sends text messages by an HTTP hook in the format of upstream's `send_sms`: JSON, signed by Standard Webhooks. */
export function createHttpSms({ hook, limit, log, now, timeoutMs = TIMEOUT_MS }: HttpSmsOptions) {
  return {
    /** Whether a provider is configured; without one everything about phones is off. */
    enabled: hook.enabled,
    /** Throws AuthError where the message was not accepted or the limit is reached. */
    send: async (message: TextMessage): Promise<void> => {
      if (!hook.enabled) throw ERRORS.smsNotConfigured();
      if (!limit.take('')) throw ERRORS.smsLimit();
      const refusal = await post(hook, message, now(), timeoutMs).catch(toSmsError);
      if (refusal === undefined) return;
      log.warn({ code: refusal.code }, 'text message not sent');
      throw refusal;
    },
  };
}

export type Sms = ReturnType<typeof createHttpSms>;

async function post(
  hook: HttpHook,
  message: TextMessage,
  now: number,
  timeoutMs: number,
): Promise<AuthError | undefined> {
  const id = randomUUID();
  const timestamp = String(Math.floor(now / 1_000));
  const body = JSON.stringify(buildPayload(message, id, now));
  const response = await fetch(hook.uri, {
    method: 'POST',
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': sign(hook.secrets, `${id}.${timestamp}.${body}`),
    },
  });
  const text = await readText(response.body, MAX_ANSWER_BYTES);
  return response.ok && !isRefusal(text) ? undefined : ERRORS.smsFailed();
}

/** Contains only the personal data that the message needs; upstream would send the whole account. */
function buildPayload({ phone, code, userId, purpose }: TextMessage, id: string, now: number): unknown {
  const type = purpose === undefined ? {} : { sms_type: purpose };
  return {
    metadata: { uuid: id, time: new Date(now).toISOString(), name: 'send-sms' },
    user: { id: userId, phone },
    sms: { otp: code, phone, ...type },
  };
}

function sign(secrets: string, signed: string): string {
  const keys = secrets.split('|').map((secret) => Buffer.from(secret.replace('v1,whsec_', ''), 'base64'));
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(', ');
}

/** A hook may refuse in the body of a 200. */
function isRefusal(text: string): boolean {
  return Refusal.safeParse(parseJson(text)).success;
}

function toSmsError(error: unknown): AuthError {
  return error instanceof DOMException && error.name === 'TimeoutError' ? ERRORS.hookTimeout() : ERRORS.smsFailed();
}

/** A code for one phone (digits of E.164). */
type TextMessage = Readonly<{
  phone: string;
  code: string;
  userId: string;
  /** Upstream's word for a second factor; absent where the phone number is the login. */
  purpose?: 'mfa';
}>;
