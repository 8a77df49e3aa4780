import type { FastifyRequest } from 'fastify';
import type { ProjectConfig } from '../config.ts';
import { readQuery } from './body.ts';
import type { AuthError } from './errors.ts';
import type { SessionJson } from './sessions/issue.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Never allowed, not even by a pattern like `**`. */
const FORBIDDEN_SCHEMES = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:', 'about:', 'filesystem:']);

type RedirectRules = Pick<ProjectConfig['auth'], 'site_url' | 'additional_redirect_urls'>;

/**
 * Returns where a flow that begins with this request ends, as upstream chooses: the header `redirect_to`, else the
 * parameter of that name; where that is not allowed the page that sent the request, else the site.
 */
export function readRedirect(request: FastifyRequest, auth: RedirectRules): string {
  const header = request.headers['redirect_to'] ?? '';
  const asked = header === '' ? readQuery(request, 'redirect_to') : String(header);
  return findAllowedRedirect(asked, auth) ?? resolveRedirect(request.headers.referer ?? '', auth);
}

/**
 * Returns an allowed redirect target (supabase-contract §1.6): the site itself, any port of it on the loopback address,
 * or an address on the allow-list. Anything else becomes the site.
 */
export function resolveRedirect(asked: string, auth: RedirectRules): string {
  return findAllowedRedirect(asked, auth) ?? auth.site_url;
}

/** Returns the target in its normal form; undefined where it is not allowed. */
export function findAllowedRedirect(asked: string, auth: RedirectRules): string | undefined {
  const url = parseUrl(asked);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  if (FORBIDDEN_SCHEMES.has(url.protocol)) return undefined;
  if (isSite(url, parseUrl(auth.site_url))) return url.href;
  const bare = new URL(url);
  bare.hash = '';
  // An origin, as pages name themselves, ends without the slash that its normal form has.
  const names = bare.href === `${bare.origin}/` ? [bare.href, bare.origin] : [bare.href];
  const listed = auth.additional_redirect_urls.some(
    (pattern) => pattern === asked || names.some((name) => toRegExp(pattern).test(name)),
  );
  return listed ? url.href : undefined;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isSite(url: URL, site: URL | undefined): boolean {
  if (site === undefined || url.protocol !== site.protocol || url.hostname !== site.hostname) return false;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return false;
  return url.port === site.port || LOOPBACK.has(url.hostname);
}

/** `*` matches within `.` and `/`, `**` matches anything, `?` one character. */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*|[*?]|[\\^$.|+()[\]{}]/g, (part) => {
    if (part === '**') return '.*';
    if (part === '*') return '[^./]*';
    if (part === '?') return '[^./]';
    return `\\${part}`;
  });
  return new RegExp(`^${source}$`);
}

type UrlParameters = Readonly<Record<string, string>>;

/**
 * The URL that the browser is redirected to after a flow (supabase-contract §1.4). Sessions travel in the fragment,
 * which never reaches a server, so that no log stores a token; `sb` tells the client the source of the answer.
 */
export function withSession(
  target: string,
  session: Omit<SessionJson, 'token_type' | 'user'>,
  more: UrlParameters,
): string {
  return withFragment(target, {
    access_token: session.access_token,
    expires_at: String(session.expires_at),
    expires_in: String(session.expires_in),
    refresh_token: session.refresh_token,
    token_type: 'bearer',
    ...more,
  });
}

export function withCode(target: string, code: string): string {
  return withQuery(target, { code });
}

/** A client that expects a code reads the query only. */
export type ResponseMode = 'fragment' | 'query';

export function withMessage(target: string, message: string, mode: ResponseMode): string {
  const url = withFragment(target, { message });
  return mode === 'query' ? withQuery(url, { message }) : url;
}

const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** Adds the error of a mail link. */
export function withError(target: string, error: AuthError, mode: ResponseMode): string {
  const name = OAUTH_ERRORS[error.status];
  const parameters = { ...(name === undefined ? {} : { error: name }), ...describeError(error) };
  const url = withFragment(target, parameters);
  return mode === 'query' ? withQuery(url, parameters) : url;
}

const DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

/** Returns `error`, `error_code` and `error_description` for a failed sign-in with a provider. */
export function toErrorParameters(error: AuthError): UrlParameters {
  const name = error.extra['error'];
  // An error in OAuth's own form has a name and no code.
  if (typeof name === 'string') return { error: name, error_description: error.message };
  const fallback = DENIED.has(error.code) ? 'access_denied' : (OAUTH_ERRORS[error.status] ?? 'server_error');
  return { error: fallback, ...describeError(error) };
}

export function withProviderError(target: string, error: AuthError): string {
  const parameters = toErrorParameters(error);
  return withFragment(withQuery(target, parameters), parameters);
}

function describeError(error: AuthError): UrlParameters {
  return { error_code: error.code, error_description: error.message };
}

export function withQuery(target: string, parameters: UrlParameters): string {
  const url = new URL(target);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

function withFragment(target: string, parameters: UrlParameters): string {
  const url = new URL(target);
  url.hash = new URLSearchParams({ ...parameters, sb: '' }).toString();
  return url.href;
}
