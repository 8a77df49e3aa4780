import { vi } from 'vitest';
import type { AppConfig } from '#contract/app-config.ts';
import { DEFAULT_BRAND } from '#web/backend/config.ts';
import { DEFAULT_LIMITS } from '#contract/limits.ts';
import { sessionStorageKey } from '#web/backend/stored-session.ts';

/** What the stub answers to a call, by method and path ('POST /auth/v1/token'); a thrown error is a lost connection. */
export type Answers = Readonly<Record<string, (body: unknown) => Response | Promise<Response>>>;

export const STUB_CONFIG: AppConfig = {
  supabaseUrl: 'http://backend.example',
  supabaseKey: 'sb_publishable_test',
  brand: DEFAULT_BRAND,
  limits: { ...DEFAULT_LIMITS },
  transcription: false,
  keepRecordings: false,
  cloudRecognition: false,
  openContributions: true,
  secondFactorRoles: [],
};

export const STUB_USER = { id: '11111111-1111-4111-8111-111111111111', email: 'mara@firma-a.example' };
export const SESSION_KEY = sessionStorageKey(STUB_CONFIG.supabaseUrl);

/** Takes the place of fetch: supabase-js itself is the real one. Unnamed calls answer 404. */
export function stubServer(answers: Answers) {
  const calls: string[] = [];
  vi.stubGlobal('fetch', (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://backend.example');
    const call = `${init?.method ?? 'GET'} ${url.pathname}`;
    calls.push(call);
    return Promise.resolve().then(
      () => answers[call]?.(init?.body) ?? Response.json({ message: 'not found' }, { status: 404 }),
    );
  });
  return calls;
}

export function stubSession(expiresInSeconds = 3_600, aal = 'aal1') {
  const expires_at = Math.floor(Date.now() / 1_000) + expiresInSeconds;
  const claims = { sub: STUB_USER.id, exp: expires_at, session_id: crypto.randomUUID(), aal };
  const part = (value: object): string => btoa(JSON.stringify(value)).replaceAll('=', '');
  return {
    access_token: [{ alg: 'ES256', typ: 'JWT' }, claims].map(part).join('.').concat('.c2ln'),
    refresh_token: 'refresh-1',
    token_type: 'bearer',
    expires_in: expiresInSeconds,
    expires_at,
    user: { ...STUB_USER, aud: 'authenticated', role: 'authenticated', app_metadata: {}, user_metadata: {} },
  };
}

export function storeSession(expiresInSeconds?: number): void {
  localStorage.setItem(SESSION_KEY, JSON.stringify(stubSession(expiresInSeconds)));
}

/** What supabase-js tells the other tabs, and has told them once this resolves. */
export async function tellFromOtherTab(event: string, session: object | null): Promise<void> {
  const channel = new BroadcastChannel(SESSION_KEY);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of this origin
  channel.postMessage({ event, session });
  await new Promise((resolve) => setTimeout(resolve, 50));
  channel.close();
}

export const noConnection = (): never => {
  throw new TypeError('Failed to fetch');
};
