import { createClient } from '@supabase/supabase-js';
import type { AppConfig } from '#contract/app-config.ts';
import type { BackendClient } from './client.ts';
import { sessionStorageKey } from './stored-session.ts';

/** The client of the login. Calls about a contribution go through `connectContribution`. */
export function connectBackend(config: AppConfig): BackendClient {
  const auth = { storageKey: sessionStorageKey(config.supabaseUrl) };
  return { config, supabase: createClient(config.supabaseUrl, config.supabaseKey, { auth }) };
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

function makeContributionClient({ config, supabase: { auth } }: BackendClient, interviewKey: string): BackendClient {
  const fetchWithKey: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-interview-key', interviewKey);
    return fetch(input, { ...init, headers });
  };
  const accessToken = async () => (await auth.getSession()).data.session?.access_token ?? config.supabaseKey;
  const options = { accessToken, global: { fetch: fetchWithKey } };
  const supabase = createClient(config.supabaseUrl, config.supabaseKey, options);
  return { config, supabase: Object.assign(supabase, { auth }), interviewKey };
}
