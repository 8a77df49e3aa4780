import type { AuthError } from '../errors.ts';

/**
 * The URL that the browser is redirected to after a flow (supabase-contract §1.4). Sessions travel in the fragment,
 * which never reaches a server, so that no log stores a token; `sb` tells the client the source of the answer.
 */
type Tokens = Readonly<{
  access_token: string;
  expires_at: number;
  expires_in: number;
  refresh_token: string;
}>;

type UrlParameters = Readonly<Record<string, string>>;

export function withSession(target: string, session: Tokens, more: UrlParameters): string {
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
