import { createHmac, randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import { z } from 'zod';
import { readText } from '#http/limited-answer.ts';
import type { HttpHook } from '../../config-auth.ts';
import { FAULTS, type AuthError } from '../errors.ts';
import type { Buckets } from '../limits/rate-limiter.ts';

type HttpSmsOptions = Readonly<{
  hook: HttpHook;
  /** Text messages altogether: each costs money. */
  all: Buckets;
  log: FastifyBaseLogger;
  /** Milliseconds since 1970. */
  now: () => number;
  patienceMs?: number;
}>;

const PATIENCE_MS = 5_000;
const LONGEST_ANSWER = 1_048_576;
const Refusal = z.object({ error: z.looseObject({}) });

/** A provider behind HTTP, called as upstream calls its hook `send_sms`: JSON, signed by Standard Webhooks. */
export function createHttpSms({ hook, all, log, now, patienceMs = PATIENCE_MS }: HttpSmsOptions): Sms {
  return {
    enabled: hook.enabled,
    send: async (message) => {
      if (!hook.enabled) throw FAULTS.smsNotConfigured();
      if (!all.take('')) throw FAULTS.smsLimit();
      const fault = await post(hook, message, now(), patienceMs).catch((error: unknown) => asFault(error));
      if (fault === undefined) return;
      log.warn({ code: fault.code }, 'text message not sent');
      throw fault;
    },
  };
}

async function post(
  hook: HttpHook,
  message: TextMessage,
  now: number,
  patienceMs: number,
): Promise<AuthError | undefined> {
  const id = randomUUID();
  const timestamp = String(Math.floor(now / 1_000));
  const body = JSON.stringify(payload(message, id, now));
  const response = await fetch(hook.uri, {
    method: 'POST',
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(patienceMs),
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures(hook.secrets, `${id}.${timestamp}.${body}`),
    },
  });
  const text = await readText(response.body, LONGEST_ANSWER);
  return response.ok && !refuses(text) ? undefined : FAULTS.smsFailed();
}

/** Of the person only what the message needs: upstream would send the whole account. */
function payload({ phone, code, userId, purpose }: TextMessage, id: string, now: number): unknown {
  const type = purpose === undefined ? {} : { sms_type: purpose };
  return {
    metadata: { uuid: id, time: new Date(now).toISOString(), name: 'send-sms' },
    user: { id: userId, phone },
    sms: { otp: code, phone, ...type },
  };
}

function signatures(secrets: string, signed: string): string {
  const keys = secrets.split('|').map((secret) => Buffer.from(secret.replace('v1,whsec_', ''), 'base64'));
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(', ');
}

/** A hook may say no in the body of a 200. */
function refuses(text: string): boolean {
  try {
    return Refusal.safeParse(JSON.parse(text)).success;
  } catch {
    return false;
  }
}

function asFault(error: unknown): AuthError {
  return error instanceof DOMException && error.name === 'TimeoutError' ? FAULTS.hookTimeout() : FAULTS.smsFailed();
}

/** One code to one phone (digits of E.164). */
type TextMessage = Readonly<{
  phone: string;
  code: string;
  userId: string;
  /** Upstream's word for a second factor; absent where the phone is the login itself. */
  purpose?: 'mfa';
}>;

/** The way out for text messages. */
export type Sms = Readonly<{
  /** Whether a provider is configured; without one everything about phones is off. */
  enabled: boolean;
  /** Throws AuthError where the message was not taken over, or too many were sent. */
  send: (message: TextMessage) => Promise<void>;
}>;
