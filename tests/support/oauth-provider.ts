import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { stopServer } from './stop-server.ts';

export type OauthAccount = Readonly<{
  id: number;
  login: string;
  name: string;
  emails: { email: string; verified: boolean; primary: boolean }[];
}>;

export type OauthProvider = Readonly<{
  host: string;
  config: { enabled: true; client_id: string; secret: string; url: string };
  /** Who signs in next. */
  account: (next: OauthAccount) => void;
  /** What the next token call answers instead. */
  failTokens: (fail: boolean) => void;
  stop: () => Promise<void>;
}>;

/** GitHub as an enterprise has it: OAuth without OpenID, form answers refused, a user agent demanded. */
export async function startOauthProvider(): Promise<OauthProvider> {
  let current: OauthAccount = { id: 1, login: 'octo', name: 'Octo', emails: [] };
  let failing = false;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const json = (body: unknown, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/login/oauth/authorize') {
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({ code: 'gh-code', state: url.searchParams.get('state') ?? '' }).toString();
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === '/login/oauth/access_token') {
      const form = new URLSearchParams(await text(request));
      const known =
        form.get('code') === 'gh-code' && form.get('client_secret') === 'gh-secret' && form.has('code_verifier');
      return known && !failing
        ? json({ access_token: 'gho_token', token_type: 'bearer', scope: 'user:email' })
        : json({ error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' });
    }
    const isAllowed =
      request.headers.authorization === 'Bearer gho_token' && request.headers['user-agent'] !== undefined;
    if (!isAllowed) return json({ message: 'Bad credentials' }, 401);
    if (url.pathname === '/api/v3/user/emails') return json(current.emails);
    if (url.pathname === '/api/v3/user') {
      const { id, login, name } = current;
      return json({ id, login, name, avatar_url: `https://avatars.beispiel.test/${id}`, email: null });
    }
    return json({ message: 'Not Found' }, 404);
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    config: { enabled: true, client_id: 'gh-client', secret: 'gh-secret', url: `http://${host}` },
    account: (next) => void (current = next),
    failTokens: (fail) => void (failing = fail),
    stop: () => stopServer(server),
  };
}
