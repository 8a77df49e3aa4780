import * as z from 'zod/mini';
import { sessionUser, type SessionUser } from './session-state.ts';

const StoredSchema = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  user: z.object({ id: z.string(), email: z.optional(z.string()) }),
});

/** Where supabase-js keeps the session: its own default, named here so that it can be looked at before the client is loaded. */
export function sessionStorageKey(supabaseUrl: string): string {
  return `sb-${new URL(supabaseUrl).hostname.split('.')[0]}-auth-token`;
}

/** Whose session this browser holds, without asking anybody whether it is still good. */
export function storedUser(supabaseUrl: string): SessionUser | undefined {
  const stored = storedSession(supabaseUrl);
  return stored === undefined ? undefined : sessionUser(stored.user);
}

export function storedAccessToken(supabaseUrl: string): string | undefined {
  return storedSession(supabaseUrl)?.access_token;
}

function storedSession(supabaseUrl: string) {
  try {
    return StoredSchema.safeParse(JSON.parse(localStorage.getItem(sessionStorageKey(supabaseUrl)) ?? '')).data;
  } catch {
    return undefined;
  }
}

/** A link from a mail brings a session (or an error about it) in the fragment; only the client can read it. */
export function fragmentHasSession(fragment: string): boolean {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  return fields.has('access_token') || fields.has('error_description');
}
