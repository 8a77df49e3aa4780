import { createContext, use } from 'react';
import type { AppConfig, Brand } from '#contract/app-config.ts';
import { tryToStore } from './browser-storage.ts';
import { isLike, readLike } from './stored-session.ts';

const KEPT = 'app_config';

/** On a line that hangs: how long the kept configuration waits for a newer one, and how long an error waits. */
const TIMEOUT_MS = { withKept: 5_000, withoutKept: 30_000 } as const;

const EXAMPLE: AppConfig = {
  supabaseUrl: '',
  supabaseKey: '',
  brand: { association: '', product: '', imprintUrl: '', privacyUrl: '' },
  limits: { videoBytes: 0, imageBytes: 0, documentBytes: 0, recordingBytes: 0, transcriptCharacters: 0 },
  transcription: false,
  keepRecordings: false,
  cloudRecognition: false,
  openContributions: false,
  secondFactorRoles: [],
};

/**
 * `GET /config.json`. Where the server does not answer, or not in time, the last configuration seen by this browser is
 * used, so that a reload without network still opens the application. Throws where there is neither.
 */
export async function loadConfig(): Promise<AppConfig> {
  const kept = readLike(localStorage, KEPT, EXAMPLE);
  const signal = AbortSignal.timeout(kept === undefined ? TIMEOUT_MS.withoutKept : TIMEOUT_MS.withKept);
  try {
    const response = await fetch('/config.json', { signal });
    if (!response.ok) throw new Error(`config.json: ${response.status}`);
    const config: unknown = await response.json();
    if (!isLike(config, EXAMPLE)) throw new TypeError('config.json: not a configuration');
    tryToStore(localStorage, KEPT, JSON.stringify(config));
    return config;
  } catch (error) {
    if (kept === undefined) throw error;
    return kept;
  }
}

const Context = createContext<AppConfig | undefined>(undefined);

export const AppConfigProvider = Context.Provider;

/** What this installation can do, for screens that need no client. Throws outside of the application. */
export function useAppConfig(): AppConfig {
  const config = use(Context);
  if (config === undefined) throw new Error('useAppConfig outside of AppConfigProvider');
  return config;
}

/** D8: what an installation is called until its operator says otherwise. */
export const DEFAULT_BRAND: Brand = {
  association: 'Ingenieurverband',
  product: 'Social-Media-Content-Assistent',
  imprintUrl: '/impressum',
  privacyUrl: '/datenschutz',
};
