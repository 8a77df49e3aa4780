import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { createContext, useContext } from 'react';
import type { AppConfig } from '#contract/app-config.ts';
import { currentInterviewKey } from './interview-key.ts';
import { sessionStorageKey } from './stored-session.ts';

/** The hosted or embedded backend as every room sees it. */
export type BackendClient = Readonly<{
  config: AppConfig;
  supabase: SupabaseClient;
  /** Set where all calls are for one contribution, whichever is at hand on the screen. */
  interviewKey?: string;
}>;

/** D9: every database and storage call carries the key of the contribution at hand, where there is one. */
export function connectBackend(config: AppConfig): BackendClient {
  const withKey: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    const key = currentInterviewKey();
    if (key !== undefined) headers.set('x-interview-key', key);
    return fetch(input, { ...init, headers });
  };
  const supabase = createClient(config.supabaseUrl, config.supabaseKey, {
    auth: { storageKey: sessionStorageKey(config.supabaseUrl) },
    global: { fetch: withKey },
  });
  return { config, supabase };
}

/**
 * A client for the contribution of this key alone, with the login of `backend` (D9): what is sent in the background
 * must not take the key of the contribution at hand.
 */
export function backendForKey(backend: BackendClient, interviewKey: string): BackendClient {
  const { config } = backend;
  const { auth } = backend.supabase;
  const withKey: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-interview-key', interviewKey);
    return fetch(input, { ...init, headers });
  };
  const accessToken = async () => (await auth.getSession()).data.session?.access_token ?? config.supabaseKey;
  const supabase = createClient(config.supabaseUrl, config.supabaseKey, { accessToken, global: { fetch: withKey } });
  return { config, supabase: Object.assign(supabase, { auth }), interviewKey };
}

const Context = createContext<BackendClient | undefined>(undefined);

export const BackendProvider = Context.Provider;

/** Throws outside the application. */
export function useBackend(): BackendClient {
  const client = useContext(Context);
  if (client === undefined) throw new Error('useBackend outside of BackendProvider');
  return client;
}
