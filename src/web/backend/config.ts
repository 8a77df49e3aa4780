import { AppConfigSchema, type AppConfig } from '#contract/app-config.ts';

const KEPT = 'app_config';

/**
 * `GET /config.json`. Where the server cannot be reached the last configuration seen by this browser is used, so that a
 * reload without network still opens the application. Throws where there is neither.
 */
export async function loadConfig(): Promise<AppConfig> {
  try {
    const response = await fetch('/config.json', { cache: 'no-cache' });
    if (!response.ok) throw new Error(`config.json: ${response.status}`);
    const config = AppConfigSchema.parse(await response.json());
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
    return AppConfigSchema.safeParse(JSON.parse(localStorage.getItem(KEPT) ?? '')).data;
  } catch {
    return undefined;
  }
}
