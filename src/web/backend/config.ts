import type { AppConfig } from '#contract/app-config.ts';
import { isLike } from './stored-session.ts';

const KEPT = 'app_config';

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
 * `GET /config.json`. Where the server cannot be reached the last configuration seen by this browser is used, so that a
 * reload without network still opens the application. Throws where there is neither.
 */
export async function loadConfig(): Promise<AppConfig> {
  try {
    const response = await fetch('/config.json', { cache: 'no-cache' });
    if (!response.ok) throw new Error(`config.json: ${response.status}`);
    const config: unknown = await response.json();
    if (!isLike(config, EXAMPLE)) throw new TypeError('config.json: not a configuration');
    localStorage.setItem(KEPT, JSON.stringify(config));
    return config;
  } catch (error) {
    const kept = keptConfig();
    if (kept === undefined) throw error;
    return kept;
  }
}

function keptConfig(): AppConfig | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? '');
    return isLike(kept, EXAMPLE) ? kept : undefined;
  } catch {
    return undefined;
  }
}
