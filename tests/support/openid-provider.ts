import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import OpenidServer, { type Configuration, type JWK } from 'oidc-provider';
import { stopServer } from './stop-server.ts';

export const CLIENT_ID = 'this-backend';
export const CLIENT_SECRET = 'of this backend towards the provider';

export type ProviderClaims = Readonly<Record<string, unknown>>;

export type OpenidProvider = Readonly<{
  issuer: string;
  /** `[auth.external.<name>]` that leads here; `host` belongs into `internal_hosts`. */
  config: { enabled: true; client_id: string; secret: string; url: string };
  host: string;
  /** Somebody with an account there: what they call themselves in `login_hint`, and what is told about them. */
  addAccount: (subject: string, claims: ProviderClaims) => void;
  /** What a browser does from the first redirect until the provider sends it back; `refuse` presses 'No'. */
  signIn: (url: string, refuse?: 'refuse') => Promise<URL>;
  /** An ID token as this provider signs it, with claims of the test's choice. */
  idToken: (claims: ProviderClaims, expiresIn?: string) => Promise<string>;
  /** Paths that were asked for. */
  asked: readonly string[];
  stop: () => Promise<void>;
}>;

/**
 * A certified OpenID provider on the loopback address; who signs in is said by `login_hint`, else typed into its page.
 */
export async function startOpenidProvider(callbackUrl: string): Promise<OpenidProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'k1', alg: 'RS256', use: 'sig' } as JWK;
  const accounts = new Map<string, ProviderClaims>();
  const asked: string[] = [];
  const provider = new OpenidServer(issuer, configuration(key, accounts, callbackUrl));
  const handle = provider.callback();
  let refusing = false;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    asked.push(request.url ?? '');
    const isInteraction = request.url?.startsWith('/interaction/') === true;
    void (isInteraction ? interact(provider, request, response, refusing) : handle(request, response));
  });
  return {
    issuer,
    host,
    config: { enabled: true, client_id: CLIENT_ID, secret: CLIENT_SECRET, url: issuer },
    addAccount: (subject, claims) => void accounts.set(subject, claims),
    signIn: async (url, refuse) => {
      refusing = refuse === 'refuse';
      return browse(new URL(url), host).finally(() => (refusing = false));
    },
    idToken: (claims, expiresIn = '5m') => sign(privateKey, issuer, claims, expiresIn),
    asked,
    stop: () => stopServer(server),
  };
}

function configuration(key: JWK, accounts: Map<string, ProviderClaims>, callbackUrl: string): Configuration {
  return {
    jwks: { keys: [key] },
    cookies: { keys: ['a key of the loopback provider'] },
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        redirect_uris: [callbackUrl],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture', 'preferred_username'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 600, RefreshToken: 600, IdToken: 600 },
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    findAccount: async (_ctx, id) => {
      const claims = accounts.get(id);
      return claims && { accountId: id, claims: async () => ({ sub: id, ...claims }) };
    },
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: CLIENT_ID, accountId: oidc.session?.accountId });
      grant.addOIDCScope('openid email profile offline_access');
      await grant.save();
      return grant;
    },
  };
}

const PAGE = `<title>Anbieter</title><h1>Anbieter</h1><form method="post">
  <label>Konto <input name="account"></label> <button>Anmelden</button> <button name="refuse" value="1">Abbrechen</button>
</form>`;

async function interact(
  provider: OpenidServer,
  request: IncomingMessage,
  response: ServerResponse,
  refusing: boolean,
): Promise<void> {
  const { params } = await provider.interactionDetails(request, response);
  const hint = params['login_hint'];
  if (hint === undefined && request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
    return;
  }
  const typed = new URLSearchParams(await text(request));
  const result =
    refusing || typed.has('refuse')
      ? { error: 'access_denied', error_description: 'End-User aborted interaction' }
      : { login: { accountId: typeof hint === 'string' ? hint : (typed.get('account') ?? '') } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

function sign(key: CryptoKey, issuer: string, claims: ProviderClaims, expiresIn: string): Promise<string> {
  return new SignJWT({ iss: issuer, aud: CLIENT_ID, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime(expiresIn)
    .sign(key);
}

/** Follows redirects, cookies included, while they stay at one host; the one that leaves it is the answer. */
export async function browse(start: URL, host: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; url.host === host && step < 20; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`HTTP ${response.status} ${await response.text()}`);
    url = new URL(location, url);
  }
  return url;
}
