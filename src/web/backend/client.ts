import type { SupabaseClient } from '@supabase/supabase-js';
import { createContext, use, useContext, useMemo } from 'react';
import type { AppConfig } from '#contract/app-config.ts';

/** The hosted or embedded backend. `connect.ts` makes it: the first screens are usable without its code. */
export type BackendClient = Readonly<{
  config: AppConfig;
  supabase: SupabaseClient;
  /** D9: of the contribution this client was made for. */
  interviewKey?: string;
  /** Sends no login, even if somebody is logged in in this browser. */
  guest?: boolean;
  /** Asks whether the login still counts; one that has ended leads to the login screen. Never rejects. */
  recheck?: () => Promise<void>;
}>;

/** Loads the client at its first use. */
type BackendSource = Readonly<{ config: AppConfig; backend: () => Promise<BackendClient> }>;

const Context = createContext<BackendClient | BackendSource | undefined>(undefined);

export const BackendProvider = Context.Provider;

function useGiven(): BackendClient | BackendSource {
  const given = useContext(Context);
  if (given === undefined) throw new Error('useBackend outside of BackendProvider');
  return given;
}

/** Waits (Suspense) until the client has come. Throws outside the application. */
export function useBackend(): BackendClient {
  const given = useGiven();
  if ('supabase' in given) return given;
  return use(given.backend());
}

/** For screens that are usable before the client has come. Throws outside the application. */
export function useBackendConfig(): AppConfig {
  return useGiven().config;
}

/** For the same screens: loads the client. Rejects where it cannot be loaded now; the next call tries again. */
export function useBackendLoader(): () => Promise<BackendClient> {
  const given = useGiven();
  return useMemo(() => ('supabase' in given ? () => Promise.resolve(given) : given.backend), [given]);
}

/** §3, §7, D11. */
export const BUCKET = 'Media';
