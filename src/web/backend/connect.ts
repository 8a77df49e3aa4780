import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { AppConfig } from '#contract/app-config.ts';
import { getAccessToken, type Login } from './access-token.ts';
import type { BackendClient } from './client.ts';
import { sessionStorageKey } from './stored-session.ts';

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
