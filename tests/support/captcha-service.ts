import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type CaptchaService = Readonly<{
  url: string;
  /** What was asked, newest last. */
  asked: readonly Readonly<Record<string, string>>[];
  /** How the next questions are answered; 'silence' never answers. */
  answerWith: (how: Answer) => void;
  stop: () => Promise<void>;
}>;

type Answer = 'silence' | Readonly<{ status?: number; body: string }>;

/** hCaptcha and Turnstile on the loopback address: the token 'solved' is right, every other one is not. */
export async function startCaptchaService(): Promise<CaptchaService> {
  const asked: Record<string, string>[] = [];
  let fixed: Answer | undefined;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push(form);
    if (fixed === 'silence') return;
    const verdict = { success: form['response'] === 'solved', 'error-codes': ['invalid-input-response'] };
    const { status = 200, body } = fixed ?? { body: JSON.stringify(verdict) };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`,
    asked,
    answerWith: (how) => void (fixed = how),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
