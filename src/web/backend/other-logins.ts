import { isAuthRetryableFetchError } from '@supabase/supabase-js';
import { NOT_SOLVED, getProof, type CaptchaProof } from './sign-in.ts';
import type { BackendClient } from './client.ts';
import { untilAnswered } from './time-limits.ts';

/** Logins at a company or another provider: the browser goes there and comes back to /login. */
export type Departure = Readonly<
  { kind: 'go'; url: string } | { kind: 'unknown' | 'captcha' | 'wait' | 'unreachable' }
>;

/** `providers`: names as upstream has them ('google', 'azure' …). */
export type OtherLogins = Readonly<{ company: boolean; providers: readonly string[] }>;

const TOO_MANY = 429;
/** Members of `external` that are no providers. */
const OWN = new Set(['email', 'phone', 'anonymous_users']);

function entrance(): string {
  return `${location.origin}/login`;
}

/** Where the login of the company with this domain is. */
export async function companyLogin(
  { supabase }: BackendClient,
  { domain, captchaToken }: Readonly<{ domain: string }> & CaptchaProof,
): Promise<Departure> {
  const { data, error } = await supabase.auth.signInWithSSO({
    domain,
    options: { redirectTo: entrance(), skipBrowserRedirect: true, ...getProof(captchaToken) },
  });
  if (error === null) return { kind: 'go', url: data.url };
  if (error.code === NOT_SOLVED) return { kind: 'captcha' };
  if (error.status === TOO_MANY) return { kind: 'wait' };
  return { kind: isAuthRetryableFetchError(error) ? 'unreachable' : 'unknown' };
}

/**
 * Where the login at this provider begins. The backend is asked first, because its refusal would be a page of JSON;
 * where it cannot be asked from here, the browser goes to its address without asking.
 */
export async function providerLogin({ supabase }: BackendClient, provider: string): Promise<Departure> {
  const { data } = await supabase.auth.signInWithOAuth({
    provider: provider as 'google',
    options: { redirectTo: entrance(), skipBrowserRedirect: true },
  });
  if (data.url === null) return { kind: 'unknown' };
  const answer = await fetch(data.url, { redirect: 'manual', signal: untilAnswered() }).catch(() => undefined);
  if (answer === undefined) return { kind: 'unreachable' };
  if (answer.type === 'opaqueredirect' || answer.ok) return { kind: 'go', url: data.url };
  return { kind: answer.status === TOO_MANY ? 'wait' : 'unknown' };
}

/** What the backend offers beside e-mail and password. */
export async function otherLogins({ config }: BackendClient): Promise<OtherLogins> {
  const response = await fetch(`${config.supabaseUrl}/auth/v1/settings`, { headers: { apikey: config.supabaseKey } });
  const settings: unknown = response.ok ? await response.json() : {};
  if (typeof settings !== 'object' || settings === null) return { company: false, providers: [] };
  const external = 'external' in settings && typeof settings.external === 'object' ? (settings.external ?? {}) : {};
  return {
    company: 'saml_enabled' in settings && settings.saml_enabled === true,
    providers: Object.entries(external).flatMap(([name, on]) => (on === true && !OWN.has(name) ? [name] : [])),
  };
}
