import { ExternalProvider } from '#backend/config-auth.ts';
import type { AuthBackend } from './auth-backend.ts';

/** What the server under test calls its own callback: an address it never listens on. */
export const CALLBACK_URL = 'http://127.0.0.1:3000/auth/v1/callback';

/** `[auth.external.<name>]` with upstream's defaults. */
export function externalConfig(given: object): ExternalProvider {
  return ExternalProvider.parse(given);
}

export type Landing = Readonly<{ status: number; url: URL; query: URLSearchParams; fragment: URLSearchParams }>;

/** The browser comes back from a provider. */
export async function comeBack(on: AuthBackend, back: URL): Promise<Landing> {
  const response = await on.call('GET', `/callback${back.search}`);
  const url = new URL(response.headers.get('location') ?? 'http://missing.invalid');
  return { status: response.status, url, query: url.searchParams, fragment: new URLSearchParams(url.hash.slice(1)) };
}
