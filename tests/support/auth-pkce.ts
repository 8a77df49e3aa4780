import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { AuthBackend } from './auth-backend.ts';

/** The official client as a browser has it that waits for a code instead of a session. */
export function pkceClient(on: AuthBackend): SupabaseClient {
  const auth = { flowType: 'pkce', persistSession: false, autoRefreshToken: false } as const;
  return createClient(on.url, on.backend.keys.publishableKey, { auth });
}

/** Claims of an access token; the server's own tests check its signature. */
export function getClaims(token: string | undefined): Record<string, unknown> {
  return JSON.parse(Buffer.from(token?.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}
