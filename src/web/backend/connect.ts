import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { AppConfig } from '#contract/app-config.ts';
import type { BackendClient } from './client.ts';
import { BackendError } from './errors.ts';
import { sessionStorageKey, storedUser } from './stored-session.ts';
import { LOOK_TIMEOUT_MS, within } from './time-limits.ts';

/** The client of the login. Calls about a contribution go through `connectContribution`. */
export function connectBackend(config: AppConfig): BackendClient {
  const auth = { storageKey: sessionStorageKey(config.supabaseUrl) };
  const login = createClient(config.supabaseUrl, config.supabaseKey, { auth });
  return { config, supabase: withLogin({ config, auth: login.auth }) };
}

const contributions = new WeakMap<BackendClient, Map<string, BackendClient>>();

/** The client for one contribution, with the login of `backend`: each of its calls carries the key (D9). */
export function connectContribution(backend: BackendClient, interviewKey: string): BackendClient {
  const made = contributions.get(backend) ?? new Map<string, BackendClient>();
  contributions.set(backend, made);
  const client = made.get(interviewKey) ?? makeContributionClient(backend, interviewKey);
  made.set(interviewKey, client);
  return client;
}

function makeContributionClient(
  { config, guest = false, supabase: { auth } }: BackendClient,
  interviewKey: string,
): BackendClient {
  const fetchWithKey: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-interview-key', interviewKey);
    return fetch(input, { ...init, headers });
  };
  return { config, guest, supabase: withLogin({ config, auth, guest }, fetchWithKey), interviewKey };
}

/** supabase-js' own way to the token falls back on the public key; `getAccessToken` does so for guests alone. */
function withLogin(login: Login, given?: typeof fetch): SupabaseClient {
  const { config, auth } = login;
  const accessToken = () => getAccessToken(login);
  const global = given === undefined ? {} : { fetch: given };
  return Object.assign(createClient(config.supabaseUrl, config.supabaseKey, { accessToken, global }), { auth });
}

const guests = new WeakMap<BackendClient, BackendClient>();

/** A client without a login, whoever is logged in here: it reads no stored session and keeps none. One per backend. */
export function connectGuest(backend: BackendClient): BackendClient {
  const guest = guests.get(backend) ?? makeGuest(backend);
  guests.set(backend, guest);
  return guest;
}

function makeGuest({ config }: BackendClient): BackendClient {
  const auth = { storageKey: 'guest', persistSession: false, autoRefreshToken: false, detectSessionInUrl: false };
  return { config, guest: true, supabase: createClient(config.supabaseUrl, config.supabaseKey, { auth }) };
}

type Login = Pick<BackendClient, 'config' | 'guest'> & Readonly<{ auth: BackendClient['supabase']['auth'] }>;

/**
 * What requests show: the token of the login, or the public key where nobody is logged in. After a refresh that got no
 * answer supabase-js says for a minute that there is no session, although it is still stored: what was sent with the
 * public key then would belong to nobody for ever. Throws BackendError 'unreachable' instead.
 */
export async function getAccessToken({ config, auth, guest }: Login): Promise<string> {
  if (guest === true) return config.supabaseKey;
  // It may have to be renewed first, and supabase-js waits for that as long as the line hangs.
  const { data, error } = await within(LOOK_TIMEOUT_MS, auth.getSession());
  if (data.session !== null) return data.session.access_token;
  const isLoggedIn = error !== null || storedUser(config.supabaseUrl) !== undefined;
  if (isLoggedIn) throw new BackendError('unreachable', 'the login has no token now');
  return config.supabaseKey;
}
