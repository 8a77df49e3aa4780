import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type CaptchaService = Readonly<{
  url: string;
  /** A widget with the interface of both: buttons in place of pictures, and a token that counts once. */
  widgetUrl: string;
  /** What was asked, newest last. */
  asked: readonly Readonly<Record<string, string>>[];
  /** How the next questions are answered; 'silence' never answers. */
  answerWith: (how: Answer | undefined) => void;
  stop: () => Promise<void>;
}>;

type Answer = 'silence' | Readonly<{ status?: number; body: string }>;

/**
 * hCaptcha and Turnstile on the loopback address: the token 'solved' is right, and each of the widget's once; no other.
 */
export async function startCaptchaService(): Promise<CaptchaService> {
  const asked: Record<string, string>[] = [];
  let fixed: Answer | undefined;
  const spent = new Set<string>();
  const isRight = (token: string): boolean => {
    if (token === 'solved') return true;
    const fresh = token.startsWith('once-') && !spent.has(token);
    spent.add(token);
    return fresh;
  };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(WIDGET);
      return;
    }
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    asked.push(form);
    if (fixed === 'silence') return;
    const verdict = { success: isRight(form['response'] ?? ''), 'error-codes': ['invalid-input-response'] };
    const { status = 200, body } = fixed ?? { body: JSON.stringify(verdict) };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${origin}/siteverify`,
    widgetUrl: `${origin}/widget.js`,
    asked,
    answerWith: (how) => void (fixed = how),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const WIDGET = `
const widget = {
  render(box, options) {
    const button = (label, act) => {
      const made = document.createElement('button');
      made.textContent = label;
      made.addEventListener('click', () => act(made));
      box.append(made);
      return made;
    };
    box.dataset.site = options.sitekey;
    const solve = button('Ich bin ein Mensch', () => {
      options.callback('once-' + crypto.randomUUID());
      solve.textContent = 'Bestätigt';
    });
    button('Ablaufen', () => { widget.reset(); options['expired-callback'](); });
    button('Zerbrechen', () => options['error-callback']());
    widget.reset = () => { solve.textContent = 'Ich bin ein Mensch'; };
    return 'w1';
  },
  reset() {},
};
globalThis.hcaptcha = globalThis.turnstile = widget;
captchaReady();
`;
