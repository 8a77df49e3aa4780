import { createHmac, randomUUID } from 'node:crypto';
import type { ProjectConfig } from '../../config.ts';
import { NO_SENDER, type TextSender } from './sender.ts';

const TIME_OUT_MS = 5_000;

type Hook = ProjectConfig['auth']['hook']['send_sms'];

/**
 * Any provider behind an address of the operator's (`[auth.hook.send_sms]`): upstream's message as JSON, signed as
 * Standard Webhooks have it, so that the other side knows who asks it to spend money.
 */
export function createHttpSender(hook: Hook, now: () => number): TextSender {
  if (!hook.enabled || !/^https?:/.test(hook.uri)) return NO_SENDER;
  const keys = secretsOf(hook.secrets);
  return {
    send: async ({ user, phone, code, text, channel }) => {
      const body = JSON.stringify({ user, sms: { otp: code, phone, message: text, channel } });
      const response = await fetch(hook.uri, {
        method: 'POST',
        body,
        redirect: 'error',
        headers: { 'content-type': 'application/json', ...signatureOf(body, keys, now()) },
        signal: AbortSignal.timeout(TIME_OUT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
    },
  };
}

/** `v1,whsec_<base64>`, several divided by `|`. */
function secretsOf(text: string): Buffer[] {
  const parts = text.split('|').map((part) => part.trim().replace(/^v1,/, '').replace(/^whsec_/, '')); // prettier-ignore
  return parts.filter((part) => part !== '').map((part) => Buffer.from(part, 'base64'));
}

function signatureOf(body: string, keys: readonly Buffer[], now: number): Record<string, string> {
  const id = randomUUID();
  const timestamp = String(Math.floor(now / 1_000));
  const sign = (key: Buffer): string =>
    `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': keys.map(sign).join(' ') };
}
