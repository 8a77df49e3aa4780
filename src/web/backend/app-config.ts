import { createContext, use } from 'react';
import type { AppConfig } from '#contract/app-config.ts';

const Context = createContext<AppConfig | undefined>(undefined);

export const AppConfigProvider = Context.Provider;

/** What this installation can do, for screens that need no client. Throws outside of the application. */
export function useAppConfig(): AppConfig {
  const config = use(Context);
  if (config === undefined) throw new Error('useAppConfig outside of AppConfigProvider');
  return config;
}
