import type { AuthError } from '../errors.ts';

/**
 * Where the browser lands after a flow, and what it is told (supabase-contract §1.4). Sessions travel in the fragment,
 * which never reaches a server, so no log keeps a token; `sb` tells the client whose answer this is.
 */
type Tokens = Readonly<{
  access_token: string;
  expires_at: number;
  expires_in: number;
  refresh_token: string;
}>;

type Members = Readonly<Record<string, string>>;

export function withSession(target: string, session: Tokens, more: Members): string {
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

/** A client that waits for a code reads the query only. */
export type Reader = 'fragment' | 'query';

export function withMessage(target: string, message: string, reader: Reader): string {
  const url = withFragment(target, { message });
  return reader === 'query' ? withQuery(url, { message }) : url;
}

const OAUTH_ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized_client',
  403: 'access_denied',
  500: 'server_error',
  503: 'temporarily_unavailable',
};

/** What went wrong behind the link of a mail. */
export function withFault(target: string, fault: AuthError, reader: Reader): string {
  const name = OAUTH_ERRORS[fault.status];
  const members = { ...(name === undefined ? {} : { error: name }), ...described(fault) };
  const url = withFragment(target, members);
  return reader === 'query' ? withQuery(url, members) : url;
}

const DENIED = new Set(['signup_disabled', 'user_banned', 'provider_email_needs_verification']);

/** What went wrong on the way back from another provider: `error`, `error_code`, `error_description`. */
export function membersOfFault(fault: AuthError): Members {
  const error = fault.extra['error'];
  // A fault in OAuth's own form has a name and no code.
  if (typeof error === 'string') return { error, error_description: fault.message };
  const name = DENIED.has(fault.code) ? 'access_denied' : (OAUTH_ERRORS[fault.status] ?? 'server_error');
  return { error: name, ...described(fault) };
}

export function withFaultOfProvider(target: string, fault: AuthError): string {
  const members = membersOfFault(fault);
  return withFragment(withQuery(target, members), members);
}

function described(fault: AuthError): Members {
  return { error_code: fault.code, error_description: fault.message };
}

export function withQuery(target: string, members: Members): string {
  const url = new URL(target);
  for (const [name, value] of Object.entries(members)) url.searchParams.set(name, value);
  return url.href;
}

function withFragment(target: string, members: Members): string {
  const url = new URL(target);
  url.hash = new URLSearchParams({ ...members, sb: '' }).toString();
  return url.href;
}
