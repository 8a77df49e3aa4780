import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';

export type ReceivedText = Readonly<{
  phone: string;
  code: string;
  purpose: string | undefined;
  userId: string;
  /** Whether the signature is right for the body as it came. */
  signed: boolean;
}>;

export type SmsProvider = Readonly<{
  /** For `[auth.hook]` of the server under test. */
  hook: { enabled: true; uri: string; secrets: string };
  received: readonly ReceivedText[];
  /** How the next messages are answered; 'silence' never answers. */
  answerWith: (how: { status: number; body?: string } | 'silence') => void;
  stop: () => Promise<void>;
}>;

const SECRET = Buffer.from('a secret of the loopback provider');

/** A provider of text messages on the loopback address, as upstream's hook `send_sms` calls one. */
export async function startSmsProvider(): Promise<SmsProvider> {
  const received: ReceivedText[] = [];
  let answer: { status: number; body?: string } | 'silence' = { status: 204 };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const signed = `${String(request.headers['webhook-id'])}.${String(request.headers['webhook-timestamp'])}.${body}`;
    const expected = `v1,${createHmac('sha256', SECRET).update(signed).digest('base64')}`;
    const { sms, user } = JSON.parse(body) as {
      sms: { phone: string; otp: string; sms_type?: string };
      user: { id: string };
    };
    received.push({
      phone: sms.phone,
      code: sms.otp,
      purpose: sms.sms_type,
      userId: user.id,
      signed: request.headers['webhook-signature'] === expected,
    });
    if (answer === 'silence') return;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    hook: {
      enabled: true,
      uri: `http://127.0.0.1:${port}/sms`,
      secrets: `v1,whsec_${SECRET.toString('base64')}`,
    },
    received,
    answerWith: (how) => void (answer = how),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The newest message to a number; it may still be on its way when the answer is there. */
export async function messageTo(provider: SmsProvider, phone: string): Promise<ReceivedText> {
  const find = (): ReceivedText | undefined => provider.received.findLast((message) => message.phone === phone);
  await expect.poll(find).toBeDefined();
  const found = find();
  if (found === undefined) throw new Error('no message');
  return found;
}
