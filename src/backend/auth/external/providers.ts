import { z } from 'zod';
import type { ExternalProvider } from '../../config-auth.ts';
import type { ProjectConfig } from '../../config.ts';
import { buildProfile, parseClaims, type Profile, type ReadJson } from './profile.ts';

/** The addresses of a provider: from OpenID discovery, or configured for an OAuth provider without it. */
export type Endpoints =
  | Readonly<{ kind: 'openid'; issuer: string }>
  | Readonly<{ kind: 'oauth'; authorize: string; token: string; profile: (read: ReadJson) => Promise<Profile> }>;

export type Provider = Readonly<{
  name: string;
  clientId: string;
  /** Also accepted as audience of an ID token: other applications of the same owner. */
  clientIds: readonly string[];
  /** Empty where only ID tokens are taken. */
  secret: string;
  redirectUri: string;
  scopes: readonly string[];
  skipNonceCheck: boolean;
  emailOptional: boolean;
  endpoints: Endpoints;
}>;

type Known = Readonly<{ scopes: readonly string[]; endpoints: (url: string | undefined) => Endpoints | undefined }>;

const OPENID_SCOPES = ['openid', 'email', 'profile'];

const openidProvider = (issuer: string | undefined): Known => ({
  scopes: OPENID_SCOPES,
  endpoints: (url) => {
    const at = trimSlashes(url) ?? issuer;
    return at === undefined ? undefined : { kind: 'openid', issuer: at };
  },
});

/** Upstream's names with upstream's addresses; `url` replaces them where a provider can be one's own. */
const KNOWN: Readonly<Record<string, Known>> = {
  apple: { ...openidProvider('https://appleid.apple.com'), scopes: ['openid', 'email', 'name'] },
  azure: {
    scopes: OPENID_SCOPES,
    endpoints: (url) => ({
      kind: 'openid',
      issuer: `${trimSlashes(url) ?? 'https://login.microsoftonline.com/common'}/v2.0`,
    }),
  },
  gitlab: openidProvider('https://gitlab.com'),
  google: openidProvider('https://accounts.google.com'),
  kakao: { ...openidProvider('https://kauth.kakao.com'), scopes: ['openid', 'account_email', 'profile_nickname'] },
  linkedin_oidc: openidProvider('https://www.linkedin.com/oauth'),
  slack_oidc: openidProvider('https://slack.com'),
  twitch: { ...openidProvider('https://id.twitch.tv/oauth2'), scopes: ['openid', 'user:read:email'] },
  discord: {
    scopes: ['email', 'identify'],
    endpoints: (url) => {
      const api = `${trimSlashes(url) ?? 'https://discord.com'}/api`;
      const profile = (read: ReadJson): Promise<Profile> => fetchDiscordProfile(api, read);
      return { kind: 'oauth', authorize: `${api}/oauth2/authorize`, token: `${api}/oauth2/token`, profile };
    },
  },
  github: {
    scopes: ['user:email'],
    endpoints: (url) => {
      const host = trimSlashes(url) ?? 'https://github.com';
      const api = url === undefined ? 'https://api.github.com' : `${host}/api/v3`;
      const profile = (read: ReadJson): Promise<Profile> => fetchGithubProfile(api, read);
      const login = `${host}/login/oauth`;
      return { kind: 'oauth', authorize: `${login}/authorize`, token: `${login}/access_token`, profile };
    },
  },
};

/** An unusable provider, in upstream's words. */
export class ProviderError extends Error {}

/** Throws ProviderError where the configuration has no usable provider of this name. */
export function getProvider(auth: ProjectConfig['auth'], externalUrl: string, given: string): Provider {
  const name = given.toLowerCase();
  const config = Object.hasOwn(auth.external, name) ? auth.external[name] : undefined;
  if (config === undefined && !Object.hasOwn(KNOWN, name))
    throw new ProviderError(`Provider ${name} could not be found`);
  if (config?.enabled !== true) throw new ProviderError('provider is not enabled');
  const clientIds = config.client_id
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const [clientId] = clientIds;
  if (clientId === undefined) throw new ProviderError('missing OAuth client ID');
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : openidProvider(undefined);
  const endpoints = getConfiguredEndpoints(config) ?? known?.endpoints(config.url);
  if (endpoints === undefined) throw new ProviderError(`unable to find URL for the ${name} provider`);
  return {
    name,
    clientId,
    clientIds,
    secret: config.secret ?? '',
    redirectUri: config.redirect_uri ?? `${externalUrl}/callback`,
    scopes: mergeScopes(config.scopes ?? '', known?.scopes ?? []),
    skipNonceCheck: config.skip_nonce_check,
    emailOptional: config.email_optional,
    endpoints,
  };
}

/** Returns the issuer of a provider's ID tokens, enabled or not; undefined where it is unknown or has none. */
export function getIssuer(auth: ProjectConfig['auth'], name: string): string | undefined {
  const config = Object.hasOwn(auth.external, name) ? auth.external[name] : undefined;
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : config && openidProvider(undefined);
  const endpoints = (config && getConfiguredEndpoints(config)) ?? known?.endpoints(config?.url);
  return endpoints?.kind === 'openid' ? endpoints.issuer : undefined;
}

/** Adds the client's scopes to those of this service. */
export function mergeScopes(asked: string, own: readonly string[]): string[] {
  return [...new Set([...own, ...asked.split(/[\s,]+/).filter((scope) => scope !== '')])];
}

function getConfiguredEndpoints(config: ExternalProvider): Endpoints | undefined {
  const { authorization_url: authorize, token_url: token, userinfo_url: userinfo } = config;
  if (authorize === undefined || token === undefined || userinfo === undefined) return undefined;
  return { kind: 'oauth', authorize, token, profile: (read) => fetchUserinfoProfile(userinfo, read) };
}

function trimSlashes(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}

/** The enabled providers: upstream's and any other that is configured. */
export function listEnabledProviders(auth: ProjectConfig['auth']): string[] {
  return Object.keys(auth.external).filter((name) => auth.external[name]?.enabled === true);
}

/** Finds enabled providers with an incomplete configuration, so that the operator hears of them at the start. */
export function findUnusableProviders({
  auth,
  externalUrl,
}: Readonly<{ auth: ProjectConfig['auth']; externalUrl: string }>) {
  return listEnabledProviders(auth).flatMap((provider) => {
    try {
      getProvider(auth, externalUrl, provider);
      return [];
    } catch (error) {
      if (error instanceof ProviderError) return [{ provider, cause: error.message }];
      throw error;
    }
  });
}

const DiscordUser = z.object({
  id: z.string().min(1),
  username: z.string(),
  global_name: z.string().nullish(),
  avatar: z.string().nullish(),
  email: z.string().nullish(),
  verified: z.boolean().nullish(),
});

export async function fetchDiscordProfile(api: string, read: ReadJson): Promise<Profile> {
  const { id, username, global_name, avatar, email, verified } = DiscordUser.parse(await read(`${api}/users/@me`));
  const picture = avatar ? `https://cdn.discordapp.com/avatars/${id}/${avatar}.png` : undefined;
  const emails = email ? [{ email, verified: verified === true, primary: true }] : [];
  return buildProfile(id, emails, {
    iss: api,
    name: username,
    full_name: username,
    ...(picture === undefined ? {} : { picture, avatar_url: picture }),
    provider_id: id,
    custom_claims: { global_name: global_name ?? username },
  });
}

const text = z
  .string()
  .min(1)
  .nullish()
  .catch(undefined)
  .transform((value) => value ?? undefined);

const GithubUser = z.object({ id: z.number().int(), login: text, name: text, avatar_url: text });
const GithubEmails = z.array(z.object({ email: z.string().min(1), verified: z.boolean(), primary: z.boolean() }));

/** GitHub has no OpenID: the account and its addresses are two requests. */
async function fetchGithubProfile(api: string, read: ReadJson): Promise<Profile> {
  const user = GithubUser.parse(await read(`${api}/user`));
  const emails = GithubEmails.parse(await read(`${api}/user/emails`));
  const { id, login, name, avatar_url } = user;
  const subject = String(id);
  const data = { iss: api, name, full_name: name, preferred_username: login, user_name: login, avatar_url };
  const present = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
  return buildProfile(subject, emails, { ...present, provider_id: subject });
}

const Subject = z.looseObject({ sub: z.unknown().optional(), id: z.unknown().optional() });

/** Reads the profile of an OAuth provider with OpenID claims; some use `id` for `sub`. */
export async function fetchUserinfoProfile(url: string, read: ReadJson): Promise<Profile> {
  const claims = Subject.parse(await read(url));
  return parseClaims({ ...claims, sub: claims.sub ?? claims.id });
}
