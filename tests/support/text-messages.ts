import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';

export type ReceivedText = Readonly<{ phone: string; code: string; text: string; channel: string; signed: boolean }>;

export type TextProvider = Readonly<{
  /** `[auth.hook.send_sms]` that leads here. */
  hook: { enabled: boolean; uri: string; secrets: string };
  messages: ReceivedText[];
  /** The newest message to a number. */
  to: (phone: string) => Promise<ReceivedText>;
  /** What the next answers are. */
  answer: (status: number) => void;
  stop: () => Promise<void>;
}>;

const SECRET = Buffer.from('of the provider').toString('base64');

/** Somebody's provider of text messages on this machine. */
export async function startTextProvider(): Promise<TextProvider> {
  const messages: ReceivedText[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => void (body += part));
    request.on('end', () => {
      const { sms } = JSON.parse(body) as { sms: Record<'otp' | 'phone' | 'message' | 'channel', string> };
      const [id, at, given] = ['id', 'timestamp', 'signature'].map((name) => request.headers[`webhook-${name}`]);
      const key = Buffer.from(SECRET, 'base64');
      const signature = createHmac('sha256', key)
        .update(`${String(id)}.${String(at)}.${body}`)
        .digest('base64');
      const signed = given === `v1,${signature}`;
      if (status < 300) messages.push({ phone: sms.phone, code: sms.otp, text: sms.message, channel: sms.channel, signed }); // prettier-ignore
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const find = (phone: string): ReceivedText | undefined => messages.findLast((message) => message.phone === phone);
  return {
    hook: { enabled: true, uri: `http://127.0.0.1:${port}/send`, secrets: `v1,whsec_${SECRET}` },
    messages,
    to: async (phone) => {
      await expect.poll(() => find(phone)).toBeDefined();
      const found = find(phone);
      if (found === undefined) throw new Error('no message');
      return found;
    },
    answer: (next) => void (status = next),
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
